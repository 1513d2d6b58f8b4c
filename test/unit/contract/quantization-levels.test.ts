import { expect, test } from "vitest";
import { findLevel, quantizationLevels } from "../../../src-main/contract/quantization-levels.ts";

test("levels are listed once each, from the finest to the coarsest", () => {
  const levels = quantizationLevels();
  const bits = levels.map(({ bitsPerWeight }) => bitsPerWeight);
  expect(bits).toEqual(bits.toSorted((one, other) => other - one));
  for (const key of ["name", "fileType"] as const) {
    expect(new Set(levels.map((level) => level[key])).size).toBe(levels.length);
  }
});

test.each([
  ["q4_k_m", "Q4_K_M"],
  [" Q8_0 ", "Q8_0"],
  ["Q4_K", "Q4_K_M"],
  ["bf16", "BF16"],
])("%j is the level %s", (text, name) => {
  expect(findLevel(text)?.name).toBe(name);
});

test.each(["", "Q9", "COPY", "Q4_K_M.gguf"])("%j is no level", (text) => {
  expect(findLevel(text)).toBeNull();
});
