import { expect, test } from "vitest";
import { planFigures, planLabel, planSegments } from "../../../src-renderer/models/plan-figures.ts";
import { samplePlan } from "../../helpers/sample-plan.ts";

const measured = { contextTokens: 8_192, weightsBytes: 2.6e9, cacheBytes: 1.2e9, computeBytes: 2.9e8 };

test("every figure says where it comes from", () => {
  const tips = new Map(planFigures(samplePlan()).map(({ key, tip }) => [key, tip]));
  expect([...tips.keys()]).toEqual(["weights", "cache", "compute", "reserve"]);
  expect(tips.get("weights")).toContain("Added up from what the file says.");
  expect(tips.get("cache")).toMatch(/147,456 bytes each.*Exactly what llama\.cpp allocates/);
  expect(tips.get("compute")).toContain("Estimated");
});

test("adapters are told of where there are any, and counted to the weights that were measured only once", () => {
  const figures = planFigures(samplePlan({ adapterBytes: 1e8, measured }));
  expect(figures.map(({ key, bytes, measuredBytes }) => [key, bytes, measuredBytes])).toEqual([
    ["weights", 2.5e9, 2.5e9],
    ["adapters", 1e8, null],
    ["cache", 1.2e9, 1.2e9],
    ["compute", 3e8, 2.9e8],
    ["reserve", 2e9, null],
  ]);
});

test("the bar is all of the memory there is, with the rest free", () => {
  const segments = planSegments(samplePlan());
  expect(segments.map(({ key }) => key)).toEqual(["weights", "cache", "compute", "reserve", "free"]);
  expect(segments.reduce((sum, { fraction }) => sum + fraction, 0)).toBeCloseTo(1);
  expect(segments.at(-1)?.fraction).toBeCloseTo(10 / 16);
});

test("where more is needed than there is, nothing is free", () => {
  const segments = planSegments(samplePlan({ budgetBytes: 1e9 }));
  expect(segments.map(({ key }) => key)).not.toContain("free");
  expect(segments.reduce((sum, { fraction }) => sum + fraction, 0)).toBeCloseTo(1);
});

test("the bar is told in words too", () => {
  expect(planLabel(samplePlan())).toBe(
    "Weights 2.50\u00a0GB, Cache 1.20\u00a0GB, Compute buffers 300\u00a0MB, Reserve 2.00\u00a0GB",
  );
});
