import { expect, test } from "vitest";
import { defaultModelPath } from "../helpers/default-model.ts";
import { plannedAndTaken } from "../helpers/planned-memory.ts";

test.each([512, 2_048, 8_192])(
  "with %i tokens it takes what was planned: the cache exactly, all within a tenth",
  async (tokens) => {
    const { plan, taken } = await plannedAndTaken(await defaultModelPath(), tokens);
    expect(plan.cacheBytes).toBe(taken.cacheBytes);
    expect(plan.kvBytesPerToken).toBe(23_040);
    expect(plan.weightsBytes).toBe(taken.weightsBytes);
    expect(Math.abs(plan.totalBytes - taken.totalBytes) / taken.totalBytes).toBeLessThan(0.1);
  },
);
