import { describe, expect, test } from "vitest";
import type { LoadedModel } from "../../../src-main/contract/model.ts";
import {
  fitOf,
  fittingSentence,
  fittingText,
  isInMemory,
  levelName,
  loadedModelOf,
} from "../../../src-renderer/models/level-facts.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";
import { samplePlan } from "../../helpers/sample-plan.ts";

describe("what fits", () => {
  test.each([
    [{}, "fits", "71,680", "71,680 tokens of context fit."],
    [{ users: 4, maxTokensPerUser: 17_920 }, "fits", "4 × 17,920", "71,680 tokens fit, or 4 users × 17,920."],
    [{ missingBytes: 1, maxTokensPerUser: 256 }, "shorter", "256", "71,680 tokens of context fit."],
    [
      { missingBytes: 1, maxTokens: 0, maxTokensPerUser: 0 },
      "none",
      "does not fit",
      "No context fits into this memory.",
    ],
  ] as const)("%o: %s, %s", (changes, fit, text, sentence) => {
    const plan = samplePlan(changes);
    expect([fitOf(plan), fittingText(plan), fittingSentence(plan)]).toEqual([fit, text, sentence]);
  });

  test("is no more than the model was trained for", () => {
    expect(fittingText(samplePlan({ trainedContextTokens: 8_192 }))).toBe("8,192 (all)");
    expect(fittingText(samplePlan({ trainedContextTokens: 71_680 }))).toBe("71,680 (all)");
    expect(fittingText(samplePlan({ trainedContextTokens: null }))).toBe("71,680");
  });
});

const model: LoadedModel = {
  path: "/a",
  summary: { name: "a", architecture: "llama", quantization: null, trainedContextTokens: 8, layers: 1, sizeBytes: 1 },
  contextTokens: 8,
  flashAttention: true,
  tuning: { prefill: 1, decode: 1, measured: [] },
  loadMs: 1,
  template: "model",
};

test("several models may be in memory, of which one answered last", () => {
  const residents = ["m1", "m2"].map((modelId) => ({ modelId, bytes: 1 }));
  const engine = { state: "ready" as const, modelId: "m1", model, residents };
  expect(["m1", "m2", "m3"].map((id) => isInMemory(id, engine))).toEqual([true, true, false]);
  expect(["m1", "m2"].map((id) => loadedModelOf(id, engine))).toEqual([model, null]);
  expect(isInMemory("m1", { state: "idle" })).toBe(false);
});

test("a level that the file does not name is called as the file is", () => {
  expect(levelName(sampleModelFile({ path: "C:\\models\\some.gguf" }))).toBe("some.gguf");
});
