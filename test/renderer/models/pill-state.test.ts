import { describe, expect, test } from "vitest";
import type { AppStatus } from "../../../src-main/contract/app-status.ts";
import { pillState } from "../../../src-renderer/models/pill-state.ts";
import { pillText } from "../../../src-renderer/models/pill-text.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";

const model = sampleModelFile({ isDefault: true });
const error = { code: "ENGINE_CRASHED", message: "It crashed.", data: { cause: "SIGABRT" } };

function status(changes: Partial<AppStatus>): AppStatus {
  return {
    version: "1",
    host: "headless",
    dataFolder: "/data",
    modelsFolder: "/models",
    engine: { state: "idle" },
    fetch: { state: "none" },
    notices: [],
    ...changes,
  };
}

const fetching = (secondsLeft: number | null): AppStatus["fetch"] => ({
  state: "fetching",
  source: "hub",
  receivedBytes: 43,
  totalBytes: 100,
  secondsLeft,
});
const loaded = (modelId: string, residents = [modelId]): AppStatus["engine"] => ({
  state: "ready",
  modelId,
  model: {
    path: model.path,
    summary: {
      name: "a",
      architecture: "llama",
      quantization: "Q4_1",
      trainedContextTokens: 8,
      layers: 1,
      sizeBytes: 1,
    },
    contextTokens: 8,
    flashAttention: false,
    tuning: { prefill: 1, decode: 1, measured: [] },
    loadMs: 1,
    template: "model",
  },
  residents: residents.map((id) => ({ modelId: id, bytes: 1 })),
});

describe("the model pill", () => {
  test.each([
    ["unknown", null, model],
    ["unknown", status({}), undefined],
    ["no-model", status({}), null],
    ["fetching", status({ fetch: fetching(12) }), null],
    ["verifying", status({ fetch: { state: "verifying" } }), null],
    ["fetch-failed", status({ fetch: { state: "failed", error } }), null],
    ["problem", status({}), { ...model, problem: error }],
    ["idle", status({}), model],
    ["idle", status({ engine: loaded("another") }), model],
    ["ready", status({ engine: loaded("m1") }), model],
    // Another answers now, and this one is in memory beside it.
    ["ready", status({ engine: loaded("another", ["another", "m1"]) }), model],
    ["loading", status({ engine: { state: "loading", modelId: "m1", modelName: "a", fraction: 0.4 } }), model],
    ["idle", status({ engine: { state: "loading", modelId: "another", modelName: "b", fraction: 0.4 } }), model],
    ["engine-failed", status({ engine: { state: "failed", error } }), model],
    // The conversation's own model is there, so the fetching of the default one is no concern of it.
    ["ready", status({ engine: loaded("m1"), fetch: fetching(12) }), model],
  ] as const)("is %s", (name, current, file) => {
    expect(pillState(current, file).name).toBe(name);
  });

  test("says how far the fetching is and how long it takes", () => {
    expect(pillText(pillState(status({ fetch: fetching(12.2) }), null))).toBe("Fetching model, 43%, 12\u00a0s left");
    expect(pillText(pillState(status({ fetch: fetching(null) }), null))).toBe("Fetching model, 43%");
  });
});
