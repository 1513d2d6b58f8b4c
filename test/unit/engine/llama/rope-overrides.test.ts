import { expect, test } from "vitest";
import { ropeOverrides } from "../../../../src-main/engine/llama/rope-overrides.ts";
import { ggufHeaderOf } from "../../../helpers/gguf-header-of.ts";

const nothing = { settings: { frequencyBase: null, frequencyScale: null }, metadata: {} };
const asked = (ropeFrequencyBase: number | null, ropeFrequencyScale: number | null) => ({
  ropeFrequencyBase,
  ropeFrequencyScale,
});
const header = (values: Readonly<Record<string, number | string>> = {}) =>
  ggufHeaderOf({ "general.architecture": "llama", ...values });

test("nothing is asked for, or what the file says anyway, in the file's own precision", () => {
  const file = header({
    "llama.rope.freq_base": Math.fround(1_000_000.1),
    "llama.rope.scaling.factor": Math.fround(1 / 0.3),
  });
  expect(ropeOverrides(file, asked(null, null))).toEqual(nothing);
  expect(ropeOverrides(file, asked(1_000_000.1, 0.3))).toEqual(nothing);
  expect(ropeOverrides(header(), asked(10_000, 1))).toEqual(nothing);
});

test("a whole number gets a fraction that 24 bits do not see, or llama.cpp would ignore it", () => {
  const { settings, metadata } = ropeOverrides(header(), asked(1_000_000, 0.125));
  expect(settings).toEqual({ frequencyBase: 1_000_000, frequencyScale: 0.125 });
  const { freq_base: base, scaling } = (metadata["llama"] as { rope: { freq_base: number; scaling: object } }).rope;
  expect(Number.isInteger(base)).toBe(false);
  expect(Math.fround(base)).toBe(1_000_000);
  const { factor } = scaling as { factor: number };
  expect([Number.isInteger(factor), Math.fround(factor)]).toEqual([false, 8]);
});

test("a file that says it is not scaled is told to be, or the scale would not count", () => {
  const file = header({ "llama.rope.scaling.type": "none", "llama.rope.scaling.factor": 2 });
  expect(ropeOverrides(file, asked(null, 1))).toEqual(nothing);
  expect(ropeOverrides(file, asked(null, 0.3)).metadata).toEqual({
    llama: { rope: { scaling: { factor: 1 / 0.3, type: "linear" } } },
  });
});
