import fc from "fast-check";
import { expect, test } from "vitest";
import { figuresFor, figuresOf, sumOf } from "../../../src-main/app/agreement-figures.ts";

/** The first four as Newcombe gives them (Statistics in Medicine 17, 1998, table I), to four places. */
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
  [10, 10, 0.7225, 1],
  [980, 1_000, 0.9693, 0.987],
])("%i of %i", (agreeing, tokens, low, high) => {
  const figures = figuresFor(agreeing, tokens);
  expect(figures.share).toBe(agreeing / tokens);
  expect(figures.low).toBeCloseTo(low, 4);
  expect(figures.high).toBeCloseTo(high, 4);
});

test("of nothing nothing is known", () => {
  expect(figuresFor(0, 0)).toEqual({ tokens: 0, agreeing: 0, share: null, low: 0, high: 1 });
});

test("places are compared one by one", () => {
  expect(figuresOf([1, 2, 3, 4], [1, 9, 3, 9])).toMatchObject({ tokens: 4, agreeing: 2, share: 0.5 });
  expect(figuresOf([7, 7], [7, 7])).toMatchObject({ tokens: 2, agreeing: 2, share: 1, high: 1 });
});

test("a sum is of the counts, not of the shares", () => {
  expect(sumOf([figuresFor(1, 1), figuresFor(0, 99)])).toEqual(figuresFor(1, 100));
});

test("the share lies in its interval, and the interval in what can be", () => {
  const counts = fc
    .integer({ min: 1, max: 5_000 })
    .chain((tokens) => fc.tuple(fc.integer({ min: 0, max: tokens }), fc.constant(tokens)));
  fc.assert(
    fc.property(counts, ([agreeing, tokens]) => {
      const { share, low, high } = figuresFor(agreeing, tokens);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(share ?? -1);
      expect(high).toBeGreaterThanOrEqual(share ?? 2);
    }),
  );
});
