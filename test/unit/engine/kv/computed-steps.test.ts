import { describe, expect, test } from "vitest";
import {
  replayableWords,
  replayedTokens,
  replaySteps,
  restoredSteps,
  stepsHash,
  stepWord,
  unknownStep,
} from "../../../../src-main/engine/kv/computed-steps.ts";
import { sampleChain } from "../../../helpers/sample-blocks.ts";

const limits = { chunkTokens: 256, contextTokens: 1_000, canTruncate: true };

/** The words of a step's first `kept` tokens. */
const chunk = (tokens: number, threads = 2, kept = tokens) =>
  Array.from({ length: kept }, (_, index) => stepWord({ tokens, index, threads }));

describe("the steps that compute tokens again", () => {
  test("are those in which they were computed", () => {
    const steps = replaySteps([...chunk(256), ...chunk(44), ...chunk(1, 1), ...chunk(1, 1), ...chunk(3)], limits);
    expect(steps).toEqual([
      { from: 0, to: 256, tokens: 256, threads: 2 },
      { from: 256, to: 300, tokens: 44, threads: 2 },
      { from: 300, to: 301, tokens: 1, threads: 1 },
      { from: 301, to: 302, tokens: 1, threads: 1 },
      { from: 302, to: 305, tokens: 3, threads: 2 },
    ]);
    expect(replayedTokens(steps)).toBe(305);
  });

  test("have their size also where some of their tokens were taken back", () => {
    const words = [...chunk(100, 2, 70), ...chunk(1)];
    expect(replaySteps(words, limits)).toEqual([
      { from: 0, to: 70, tokens: 100, threads: 2 },
      { from: 70, to: 71, tokens: 1, threads: 2 },
    ]);
    expect(replaySteps(words, { ...limits, canTruncate: false })[0]).toMatchObject({ to: 70, threads: null });
  });

  test("are any portions where nothing is known, and what comes behind them does not count", () => {
    const unknown = Array.from({ length: 300 }, () => unknownStep);
    const steps = replaySteps([...chunk(10), ...unknown, ...chunk(5)], limits);
    expect(steps.map(({ from, to, threads }) => [from, to, threads])).toEqual([
      [0, 10, 2],
      [10, 266, null],
      [266, 310, null],
      [310, 315, 2],
    ]);
    expect(replayedTokens(steps)).toBe(10);
  });

  test("are not known where the beginning of a step is missing, or it does not fit", () => {
    expect(replayedTokens(replaySteps(chunk(8).slice(3), limits))).toBe(0);
    expect(replayedTokens(replaySteps(chunk(300), limits))).toBe(0);
    expect(replayedTokens(replaySteps(chunk(200), { ...limits, contextTokens: 199 }))).toBe(0);
  });

  test("of no tokens are none", () => {
    expect(replayedTokens(replaySteps([], limits))).toBe(0);
  });
});

test("a word holds what a step can be, and says that it is unknown otherwise", () => {
  expect(stepWord({ tokens: 1, index: 0, threads: 0 })).toBe(unknownStep);
  expect(stepWord({ tokens: 4_096, index: 0, threads: 2 })).toBe(unknownStep);
  expect(stepWord({ tokens: 1, index: 0, threads: 256 })).toBe(unknownStep);
  const word = stepWord({ tokens: 4_095, index: 4_094, threads: 255 });
  expect([word > 0, Uint32Array.of(word)[0]]).toEqual([true, word]);
});

describe("of blocks", () => {
  const blocks = sampleChain({ lengths: [4, 4, 4] });

  test("all steps are known where each was computed behind those before it", () => {
    expect(replayableWords(blocks, 10)).toEqual(Array.from({ length: 10 }, () => chunk(1)[0]));
  });

  test("nothing is known from one on that was computed behind other cells", () => {
    const [first, second, third] = blocks;
    const mixed = [first, { ...second, stepsBefore: stepsHash(chunk(4)) }, third];
    expect(replayableWords(mixed, 10)).toEqual([...[...first.steps], ...Array.from({ length: 6 }, () => unknownStep)]);
  });

  test("those that were restored begin where a block begins", () => {
    expect(restoredSteps(blocks, 6, 11)).toEqual({
      start: 4,
      steps: [...blocks[1].steps, ...blocks[2].steps].slice(0, 7),
    });
    expect(restoredSteps(blocks, 6, 6)).toEqual({ start: 6, steps: [] });
    expect(restoredSteps(blocks, 6, 4)).toEqual({ start: 4, steps: [] });
  });
});
