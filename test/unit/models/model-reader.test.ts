import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ModelReader } from "../../../src-main/models/model-reader.ts";
import { sampleModel } from "../../helpers/sample-header.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

function openReader(entry?: string): ModelReader {
  const reader = new ModelReader(entry);
  onTestFinished(() => reader.close());
  return reader;
}

function written(bytes: Uint8Array, name = "model.gguf"): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

test("headers are read in a worker, one that cannot be used as well as one that can", async () => {
  const reader = openReader();
  const good = written(sampleModel({ general: { name: "Qwen3 4B" } }));
  const bad = written(Buffer.from("Dear Sir or Madam, how are you today?"));
  const [first, second] = await Promise.all([reader.read(good), reader.read(bad)]);
  expect(first).toMatchObject({ reason: null, traits: { name: "Qwen3 4B" } });
  expect(second).toMatchObject({ reason: "it is not a GGUF file", traits: null });
});

test("a file that is gone or no file at all is an error, and the next one is read", async () => {
  const reader = openReader();
  const gone = join(temporaryFolder(), "gone.gguf");
  await expect(reader.read(gone)).rejects.toMatchObject({ code: "MODEL_MISSING", data: { path: gone } });
  await expect(reader.hashStep(gone, true)).rejects.toMatchObject({ code: "MODEL_MISSING" });
  expect((await reader.read(written(sampleModel()))).reason).toBeNull();
});

/** Steps until the hash is known. */
async function hashOf(reader: ModelReader, path: string): Promise<{ sha256: string; steps: number }> {
  for (let steps = 1; ; steps += 1) {
    const sha256 = await reader.hashStep(path, steps === 1);
    if (sha256 !== null) return { sha256, steps };
  }
}

test("a hash takes steps, between which headers are read; it can be begun anew", async () => {
  const reader = openReader();
  const bytes = Buffer.alloc(20 << 20, "reprise");
  const path = written(bytes);
  expect(await reader.hashStep(path, true)).toBeNull();
  expect((await reader.read(written(sampleModel()))).reason).toBeNull();
  const { sha256, steps } = await hashOf(reader, path);
  expect(sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(steps).toBe(3);
});

test("a worker that ends fails what it was asked, and another one takes its place", async () => {
  const script = written(Buffer.from("process.exit(1)"), "ends.mjs");
  const reader = openReader(script);
  const path = written(sampleModel());
  await expect(reader.read(path)).rejects.toMatchObject({ code: "MODEL_INVALID", data: { path } });
  writeFileSync(
    script,
    `import { parentPort } from "node:worker_threads";
     parentPort.on("message", ({ id }) => parentPort.postMessage({ id, kind: "hash", sha256: "aa" }));`,
  );
  expect(await reader.hashStep(path, true)).toBe("aa");
});

test("what is being read when it is closed is told so", async () => {
  const reader = openReader();
  const folder = join(temporaryFolder(), "model.gguf");
  mkdirSync(folder);
  const reading = reader.read(folder).catch((caught: unknown) => caught);
  await reader.close();
  expect(await reading).toMatchObject({ code: "ENGINE_STOPPED" });
  await expect(reader.read(folder)).rejects.toMatchObject({ code: "ENGINE_STOPPED" });
});
