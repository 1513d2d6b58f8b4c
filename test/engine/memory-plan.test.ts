import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planModel } from "../../src-main/engine/llama/model-plan.ts";
import { writeHollowGguf, type HollowModel } from "../helpers/hollow-gguf.ts";
import { sharedLlama } from "../helpers/open-tiny-model.ts";
import { plannedAndTaken } from "../helpers/planned-memory.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../helpers/tiny-gguf.ts";

/** A quarter of a billion parameters as such models have them, without their weights. */
const grouped: HollowModel = {
  architecture: "llama",
  layers: 6,
  heads: 14,
  keyValueHeads: 2,
  headSize: 64,
  embedding: 896,
  feedForward: 4_864,
  vocabulary: 32_000,
  contextTokens: 32_768,
};

const shapes: Readonly<Record<string, HollowModel>> = {
  "grouped-query attention": grouped,
  "multi-head attention": { ...grouped, keyValueHeads: 14, layers: 4 },
  "a sliding window": {
    ...grouped,
    architecture: "gemma3",
    heads: 4,
    keyValueHeads: 1,
    headSize: 256,
    embedding: 1_152,
    feedForward: 6_912,
    windowTokens: 512,
    windowPeriod: 6,
  },
};

describe.each(Object.entries(shapes))("%s", (_, shape) => {
  test.each([1_000, 4_096])(
    "with %i tokens takes what was planned: the cache exactly, all within a tenth",
    async (tokens) => {
      const path = writeHollowGguf(join(temporaryFolder(), "hollow.gguf"), shape);
      const { plan, taken } = await plannedAndTaken(path, tokens);
      expect(plan.flashAttention).toBe(taken.flashAttention);
      expect(plan.cacheBytes).toBe(taken.cacheBytes);
      expect(plan.weightsBytes).toBe(taken.weightsBytes);
      expect(Math.abs(plan.totalBytes - taken.totalBytes) / taken.totalBytes).toBeLessThan(0.1);
    },
  );
});

test.each(["recurrent", "hybrid"] as const)(
  "a %s model's state is known, as exactly as it is told",
  async (variant) => {
    const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { variant, layers: 4, embedding: 256 });
    const { plan, taken } = await plannedAndTaken(path, 1_024);
    const toldToBytes = 0.005_1 * 2 ** 20;
    expect(plan.layers.state).toBe(variant === "hybrid" ? 2 : 4);
    expect(Math.abs(plan.cacheBytes - taken.cacheBytes)).toBeLessThan(toldToBytes);
  },
);

test("a plan for a model that would never fit is made all the same", async () => {
  const huge = { ...grouped, layers: 96, embedding: 12_288, feedForward: 49_152, heads: 96, headSize: 128 };
  const path = writeHollowGguf(join(temporaryFolder(), "huge.gguf"), huge);
  const plan = await planModel((await sharedLlama()).llama, { path, budgetBytes: 16e9, users: 8 }, null);
  expect(plan.weightsBytes).toBeGreaterThan(200e9);
  expect(plan).toMatchObject({ maxTokens: 0, maxTokensPerUser: 0, users: 8 });
  expect(plan.missingBytes).toBe(plan.totalBytes + plan.reserveBytes - 16e9);
});
