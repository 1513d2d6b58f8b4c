import { describe, expect, test } from "vitest";
import { describeDownload, describePhase, describeStatus } from "../../../src-main/headless/progress-text.ts";

describe("what is waited for", () => {
  const idle = { engine: { state: "idle" }, fetch: { state: "none" } } as const;

  test("is nothing where nothing happens", () => {
    expect(describeStatus(idle)).toBeNull();
  });

  test("is the default model while it is fetched, with the time left once it is known", () => {
    const fetch = {
      state: "fetching",
      source: "hub",
      receivedBytes: 1e6,
      totalBytes: 98.4e6,
      secondsLeft: null,
    } as const;
    expect(describeStatus({ ...idle, fetch })).toBe("Fetching the default model: 1.0 MB of 98.4 MB");
    expect(describeStatus({ ...idle, fetch: { ...fetch, secondsLeft: 7.2 } })).toMatch(/, 8 s left$/);
    expect(describeStatus({ ...idle, fetch: { state: "verifying" } })).toBe("Checking the default model");
  });

  test("is a model on its way, with speed and time left once they are known", () => {
    const download = {
      id: "d",
      repository: "someone/model",
      revision: "abc",
      level: "Q8_0",
      path: "/m/model.gguf",
      state: "running",
      doneBytes: 1.2e9,
      totalBytes: 4.9e9,
      bytesPerSecond: null,
      secondsLeft: null,
      error: null,
    } as const;
    expect(describeDownload(download)).toBe("Fetching someone/model Q8_0: 1.2 GB of 4.9 GB");
    expect(describeDownload({ ...download, bytesPerSecond: 25e6, secondsLeft: 148 })).toBe(
      "Fetching someone/model Q8_0: 1.2 GB of 4.9 GB, 25.0 MB/s, 3 min left",
    );
    expect(describeDownload({ ...download, state: "queued" })).toBe("Waiting for another download: someone/model Q8_0");
    expect(describeDownload({ ...download, state: "paused" })).toBe("Paused at 1.2 GB of 4.9 GB: someone/model Q8_0");
    expect(describeDownload({ ...download, state: "verifying" })).toBe("Checking someone/model Q8_0");
    expect(describeDownload({ ...download, state: "failed" })).toBeNull();
  });

  test("is the engine while it starts and loads", () => {
    expect(describeStatus({ ...idle, engine: { state: "starting" } })).toBe("Starting the engine");
    const engine = { state: "loading", modelId: "m", modelName: "Tiny", fraction: 0.567 } as const;
    expect(describeStatus({ ...idle, engine })).toBe("Loading Tiny: 56 %");
  });

  test("is the prompt while it is computed", () => {
    const phase = (value: Parameters<typeof describePhase>[0]["phase"]) =>
      describePhase({ generationId: "g", messageId: "m", phase: value });
    expect(phase({ name: "queued" })).toBe("Waiting for the engine");
    expect(phase({ name: "prefill", doneTokens: 512, totalTokens: 2_048 })).toBe("Reading the prompt: 25 %");
    expect(phase({ name: "prefill", doneTokens: 0, totalTokens: 0 })).toBeNull();
    expect(phase({ name: "decode" })).toBeNull();
  });
});
