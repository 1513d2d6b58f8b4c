import { describe, expect, test } from "vitest";
import { familyLevels, type LevelFacts } from "../../../src-main/app/family-levels.ts";
import type { Footprint } from "../../../src-main/contract/model-library.ts";
import { defaultLoadOptions, type LoadOptions } from "../../../src-main/contract/model-settings.ts";
import type { ModelFile } from "../../../src-main/contract/model.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";

const file = (id: string, sizeBytes: number, changes: Partial<ModelFile> = {}): ModelFile => ({
  ...sampleModelFile(),
  id,
  path: `/m/${id}`,
  sizeBytes,
  problem: null,
  ...changes,
});

const footprint = (weightsBytes: number): Footprint => ({
  parameters: 100,
  weightsBytes,
  contextTokens: 8_192,
  keyBytes: 8_000,
  valueBytes: 16_000,
  stateBytes: 500,
  computeBytes: 70,
});

const speed = (prefill: number, decode: number): LevelFacts["speed"] => ({
  prefillTokensPerSecond: prefill,
  decodeTokensPerSecond: decode,
  measuredAt: 1,
  underLoad: false,
});

const nothing: LevelFacts = { footprint: null, speed: null };
const levels = (members: readonly ModelFile[], facts: Readonly<Record<string, LevelFacts>> = {}) =>
  familyLevels(members, (id) => facts[id] ?? nothing);

const memoryOf = (options: Partial<LoadOptions>) =>
  levels([file("a", 1, { loadOptions: { ...defaultLoadOptions, ...options } })], {
    a: { footprint: footprint(1_000), speed: null },
  })[0]?.memory;

describe("memory", () => {
  test.each<[string, Partial<LoadOptions>, number, number]>([
    ["as it is loaded", {}, 1_000 + 24_000 + 500 + 70, 8_192],
    ["with keys of another type", { keyType: "q8_0" }, 1_000 + 4_250 + 16_000 + 500 + 70, 8_192],
    ["with values of another type", { valueType: "q4_0" }, 1_000 + 8_000 + 4_500 + 500 + 70, 8_192],
    ["with a shorter context", { contextTokens: 2_048 }, 1_000 + 6_000 + 500 + 70, 2_048],
    ["with a longer one, which it does not begin with", { contextTokens: 32_768 }, 25_570, 8_192],
  ])("is reckoned %s", (_, options, bytes, contextTokens) => {
    expect(memoryOf(options)).toEqual({ bytes, contextTokens });
  });

  test("is not known where the file does not tell", () => {
    expect(levels([file("a", 1)])[0]).toMatchObject({ memory: null, bitsPerWeight: null, speed: null });
  });
});

test("the fastest is told of each phase, of those that were measured", () => {
  const facts = {
    a: { footprint: null, speed: speed(100, 9) },
    b: { footprint: null, speed: speed(200, 8) },
  };
  const told = levels([file("a", 1), file("b", 2), file("c", 3)], facts);
  expect(told.map(({ isFastestPrefill }) => isFastestPrefill)).toEqual([false, true, false]);
  expect(told.map(({ isFastestDecode }) => isFastestDecode)).toEqual([true, false, false]);
});

test("one that was measured alone is not the fastest", () => {
  const [level] = levels([file("a", 1), file("b", 2)], { a: { footprint: null, speed: speed(100, 9) } });
  expect(level).toMatchObject({ isFastestPrefill: false, isFastestDecode: false });
});

test("the reference is the one with the most bits a weight that can be used", () => {
  const facts = {
    coarse: { footprint: footprint(50), speed: null },
    fine: { footprint: footprint(200), speed: null },
    broken: { footprint: footprint(400), speed: null },
  };
  const problem = { code: "MODEL_INVALID", message: "It cannot be used.", data: {} };
  const members = [file("fine", 9), file("coarse", 3), file("broken", 20, { problem })];
  const told = levels(members, facts);
  expect(told.map(({ modelId, bitsPerWeight, isReference }) => [modelId, bitsPerWeight, isReference])).toEqual([
    ["coarse", 4, false],
    ["fine", 16, true],
    ["broken", 32, false],
  ]);
});

test("where weights were not counted the size of the file tells", () => {
  expect(levels([file("a", 5), file("b", 7)]).map(({ isReference }) => isReference)).toEqual([false, true]);
});
