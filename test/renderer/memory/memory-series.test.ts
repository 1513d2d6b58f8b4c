import { describe, expect, test } from "vitest";
import {
  memorySeries,
  roundTicks,
  stackedBytes,
  totalBytes,
  turnTicks,
} from "../../../src-renderer/memory/memory-series.ts";
import { sampleReport } from "../../helpers/sample-report.ts";
import { sampleMessage } from "../../helpers/sample-thread.ts";

const memory = { ...sampleReport().memory, weights: 100, kvLive: 20, computeBuffers: 50 };

function answer(kvLive: number) {
  return sampleMessage({ role: "assistant", report: sampleReport({ memory: { ...memory, kvLive } }) });
}

describe("memory over the turns", () => {
  test("has a point for every answer with a report, numbered among all answers", () => {
    const messages = [sampleMessage(), answer(20), sampleMessage({ role: "assistant" }), sampleMessage(), answer(40)];
    expect(memorySeries(messages)).toEqual([
      { turn: 1, bytes: { weights: 100, kv: 20, compute: 50 } },
      { turn: 3, bytes: { weights: 100, kv: 40, compute: 50 } },
    ]);
  });

  test("stacks what is used on the weights, and what is computed with on both", () => {
    const points = memorySeries([answer(20), answer(40)]);
    expect(stackedBytes(points)).toEqual([
      { layer: "weights", from: [0, 0], to: [100, 100] },
      { layer: "kv", from: [100, 100], to: [120, 140] },
      { layer: "compute", from: [120, 140], to: [170, 190] },
    ]);
    expect(points.map(totalBytes)).toEqual([170, 190]);
  });
});

describe("the axes", () => {
  test.each([
    [253e6, [0, 100e6, 200e6, 300e6]],
    [100e6, [0, 25e6, 50e6, 75e6, 100e6]],
    [3.1e9, [0, 1e9, 2e9, 3e9, 4e9]],
    [0, [0]],
  ])("of %d bytes have round values that reach it", (most, ticks) => {
    expect(roundTicks(most, 4)).toEqual(ticks);
  });

  test("of many turns name some, evenly spaced", () => {
    expect(turnTicks([1, 2, 3], 8)).toEqual([1, 2, 3]);
    const turns = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(turnTicks(turns, 5)).toEqual([1, 21, 41, 61, 81]);
    expect(turnTicks([], 5)).toEqual([]);
  });
});
