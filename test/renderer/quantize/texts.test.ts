import { describe, expect, test } from "vitest";
import { quantizationLevels } from "../../../src-main/contract/quantization-levels.ts";
import type { Quantization } from "../../../src-main/contract/quantization.ts";
import { levelUse } from "../../../src-renderer/quantize/level-use.ts";
import { canBegin, hasRoom } from "../../../src-renderer/quantize/plan-obstacle.ts";
import { quantizationName, quantizationText } from "../../../src-renderer/quantize/quantization-text.ts";
import { samplePlan, sampleQuantization } from "../../helpers/sample-quantization.ts";

/** Spaces that do not break, as ordinary ones. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

test("every level has a use, and they get coarser in the order of the list", () => {
  const uses = quantizationLevels().map(levelUse);
  const grades = [
    "exact, to make other levels from",
    "as good as exact",
    "very close",
    "a little coarser",
    "clearly coarser",
    "coarse",
    "for experiments",
  ];
  const graded = uses.filter((use) => grades.includes(use));
  expect(graded).toEqual([...graded].sort((one, other) => grades.indexOf(one) - grades.indexOf(other)));
  expect(new Set(graded).size).toBe(grades.length);
  const special = quantizationLevels().filter((level) => !grades.includes(levelUse(level)));
  expect(special.map(({ name }) => name)).toEqual(["Q4_K_M", "MXFP4_MOE"]);
});

describe("a plan", () => {
  const nothing = { allowsLoss: false, replaces: false };

  test("can begin where there is room and nothing to agree to", () => {
    expect(canBegin(samplePlan(), nothing)).toBe(true);
    expect(hasRoom(samplePlan({ freeBytes: 1_000, predictedBytes: 1_000 }))).toBe(false);
    expect(canBegin(samplePlan({ freeBytes: 1_000, predictedBytes: 1_000 }), nothing)).toBe(false);
    expect(canBegin(samplePlan({ needsImatrix: true }), nothing)).toBe(false);
  });

  test("that loses more, or replaces a file, waits for consent to just that", () => {
    const lossy = samplePlan({ isLossySource: true });
    expect(canBegin(lossy, { allowsLoss: false, replaces: true })).toBe(false);
    expect(canBegin(lossy, { allowsLoss: true, replaces: false })).toBe(true);
    const replacing = samplePlan({ outputExists: true });
    expect(canBegin(replacing, { allowsLoss: true, replaces: false })).toBe(false);
    expect(canBegin(replacing, { allowsLoss: false, replaces: true })).toBe(true);
  });
});

describe("a quantization", () => {
  const text = (changes: Partial<Quantization>) => plain(quantizationText(sampleQuantization(changes)));

  test("is named after its source and level", () => {
    expect(quantizationName(sampleQuantization())).toBe("m-F16.gguf → Q4_K_M");
  });

  test("says how far it is, and what became of it", () => {
    expect(text({ state: "waiting" })).toBe("Waiting for the one before");
    expect(text({ fraction: 0.42, secondsLeft: null })).toBe("42% of 2.50 GB");
    expect(text({ fraction: 0.42, secondsLeft: 90 })).toBe("42% of 2.50 GB · 2 min left");
    expect(text({ state: "done", bytes: 2.4e9 })).toBe("2.40 GB, checked and ready");
    expect(text({ state: "cancelled" })).toBe("Cancelled; nothing of it was kept.");
    const error = { code: "QUANTIZE_FAILED", message: "It could not be made.", data: {} };
    expect(text({ state: "failed", error })).toBe("It could not be made.");
  });
});
