import { expect, test } from "vitest";
import { snapshotPoints, type SnapshotRequest } from "../../../../src-main/engine/kv/snapshot-points.ts";

/** A chat of 1,000 tokens, the first 300 of them the system prompt, of which nothing is there yet. */
function points(request: Partial<SnapshotRequest> = {}): number[] {
  return snapshotPoints({
    promptTokens: 1_000,
    boundaryTokens: 300,
    inPlaceTokens: 0,
    storedTokens: 0,
    isAnswered: true,
    costs: { prefill: { msPerToken: 10, msPerTokenAndDepth: 0 }, restore: { fixedMs: 0, msPerToken: 0 } },
    bytesOf: (tokens) => tokens * 1_000,
    ...request,
  });
}

test("behind the system prompt, and before the last token", () => {
  expect(points()).toEqual([300, 999]);
});

test("not before the last token where no answer follows", () => {
  expect(points({ isAnswered: false })).toEqual([300]);
});

test("only where something is computed up to it", () => {
  expect(points({ inPlaceTokens: 300 })).toEqual([999]);
  expect(points({ inPlaceTokens: 299 })).toEqual([300, 999]);
  expect(points({ inPlaceTokens: 999 })).toEqual([]);
});

test("not where few tokens would be computed again without it", () => {
  expect(points({ boundaryTokens: 20 })).toEqual([999]);
  expect(points({ inPlaceTokens: 940, storedTokens: 940 })).toEqual([]);
  expect(points({ inPlaceTokens: 935, storedTokens: 935 })).toEqual([999]);
  // What is in place behind the last snapshot, such as a draft, is in none.
  expect(points({ inPlaceTokens: 990, storedTokens: 400 })).toEqual([999]);
});

test("not where saving costs much beside computing", () => {
  expect(points({ bytesOf: () => 500e6 })).toEqual([]);
  expect(points({ bytesOf: (tokens) => tokens * 300_000 })).toEqual([300, 999]);
  expect(points({ bytesOf: () => 200e6 })).toEqual([999]);
});

test("the system prompt alone, or none, is no place to pause", () => {
  expect(points({ boundaryTokens: 1_000 })).toEqual([999]);
  expect(points({ boundaryTokens: 0 })).toEqual([999]);
  expect(points({ promptTokens: 1, boundaryTokens: 1 })).toEqual([]);
});
