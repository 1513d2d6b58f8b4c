import { describe, expect, test } from "vitest";
import { chooseThreads, median, threadCandidates } from "../../../../src-main/engine/tuning/choose-threads.ts";

const measured = (rates: readonly (readonly [threads: number, prefill: number, decode: number])[]) =>
  rates.map(([threads, prefillTokensPerSecond, decodeTokensPerSecond]) => ({
    threads,
    prefillTokensPerSecond,
    decodeTokensPerSecond,
  }));

test("each phase gets the threads that are fastest for it", () => {
  const rates = measured([
    [1, 200, 60],
    [4, 700, 110],
    [8, 1_300, 90],
  ]);
  expect(chooseThreads(rates, 8)).toEqual({ prefill: 8, decode: 4, measured: rates });
});

test("a thread that brings next to nothing is not worth its core", () => {
  const rates = measured([
    [1, 200, 100],
    [2, 400, 104],
    [4, 410, 106],
  ]);
  expect(chooseThreads(rates, 8)).toMatchObject({ prefill: 2, decode: 2 });
});

describe("the last core", () => {
  const twoCores = (decode: number) =>
    chooseThreads(
      measured([
        [1, 200, 100],
        [2, 400, decode],
      ]),
      2,
    );

  test("is left to the app where decoding gains little from it, though prefill takes it", () => {
    expect(twoCores(115)).toMatchObject({ prefill: 2, decode: 1 });
  });

  test("is used where it gains more than the app's work costs", () => {
    expect(twoCores(130)).toMatchObject({ prefill: 2, decode: 2 });
  });

  test("is none of those chosen among on a machine with more", () => {
    const rates = measured([
      [1, 200, 100],
      [2, 400, 112],
    ]);
    expect(chooseThreads(rates, 8)).toMatchObject({ decode: 2 });
  });
});

test("one measurement is the choice", () => {
  expect(chooseThreads(measured([[1, 10, 2]]), 1)).toMatchObject({ prefill: 1, decode: 1 });
});

describe("candidates", () => {
  test.each([
    [1, [1]],
    [2, [1, 2]],
    [4, [1, 2, 3, 4]],
    [8, [2, 4, 6, 8]],
    [24, [6, 12, 18, 24]],
  ])("of %i cores", (cores, candidates) => {
    expect(threadCandidates(cores)).toEqual(candidates);
  });
});

test("the median of an even count lies between the two in the middle", () => {
  expect(median([5, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});
