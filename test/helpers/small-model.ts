/** A published model file of a few hundred kilobytes, and fetch settings that stay on this machine. */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { PublishedModelFile } from "../../src-main/models/default-model-file.ts";
import type { FetchSettings } from "../../src-main/models/fetch-settings.ts";

export const smallModel = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * index) % 251));

export const smallModelFile: PublishedModelFile = {
  name: "Small",
  fileName: "small.gguf",
  sizeBytes: smallModel.length,
  sha256: createHash("sha256").update(smallModel).digest("hex"),
  license: "MIT",
  hub: { repository: "someone/small", revision: "abc" },
  pythonPackage: { name: "small-model", version: "1.0", wheelBytes: smallModel.length, folder: "small_model" },
};

/** Stands for a computer that has no such program. */
const missing = "no-such-program-on-any-machine";

export function localSettings(settings: Partial<FetchSettings> = {}): FetchSettings {
  return {
    // `fetch` refuses this port by itself: no network is asked.
    hubUrl: "http://127.0.0.1:9",
    pipCommands: [[missing]],
    pythonCommands: [["python3"], ["python"], ["py"]],
    connectTimeoutMs: 10_000,
    stallTimeoutMs: 10_000,
    retryDelayMs: 0,
    connections: 4,
    segmentBytes: 1e9,
    recordEveryBytes: 1e9,
    freeBytes: () => Promise.resolve(1e12),
    ...settings,
  };
}

const fakePip = fileURLToPath(new URL("../fixtures/fake-pip.ts", import.meta.url));

/** `wheel`: a file it "downloads"; or what it does instead. */
export function pipThat(wheel: string): FetchSettings["pipCommands"] {
  return [[missing], [process.execPath, fakePip, wheel]];
}
