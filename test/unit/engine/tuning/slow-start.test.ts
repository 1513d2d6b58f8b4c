import { describe, expect, test } from "vitest";
import { SlowStart } from "../../../../src-main/engine/tuning/slow-start.ts";

/** Two threads, which decode at 100 tokens/s; one of them alone at `alone`. */
const slowStart = (alone: number | null = 90) =>
  new SlowStart({
    prefill: 2,
    decode: 2,
    measured: [
      ...(alone === null ? [] : [{ threads: 1, prefillTokensPerSecond: 100, decodeTokensPerSecond: alone }]),
      { threads: 2, prefillTokensPerSecond: 200, decodeTokensPerSecond: 100 },
    ],
  });

const beginning = { computedMs: 10, depthTokens: 50, nowMs: 1_000 };

test("after a pause it lasts until the process has computed for 60 ms, the prompt included", () => {
  const start = slowStart();
  start.begin(beginning);
  expect(start.isOn).toBe(true);
  expect([20, 20, 20].map((tokenMs) => start.note(tokenMs, 1_100))).toEqual([false, false, true]);
  expect(start.isOn).toBe(false);
});

describe("there is none", () => {
  test("behind an answer that ended just before", () => {
    const start = slowStart();
    start.note(10, 900);
    start.begin(beginning);
    expect(start.isOn).toBe(false);
    start.begin({ ...beginning, nowMs: 1_200 });
    expect(start.isOn).toBe(true);
  });

  test("behind a prompt that was computed for long enough, however long the pause before it", () => {
    const start = slowStart();
    start.begin({ ...beginning, computedMs: 80 });
    expect(start.isOn).toBe(false);
  });

  test("where the number of threads would change how attention is rounded", () => {
    const start = slowStart();
    start.begin({ ...beginning, depthTokens: 200 });
    expect(start.isOn).toBe(false);
  });

  test("where one thread is much slower, or nobody knows how fast it is", () => {
    for (const start of [slowStart(70), slowStart(null)]) {
      start.begin(beginning);
      expect(start.isOn).toBe(false);
    }
  });

  test("where one thread decodes anyway", () => {
    const measured = [{ threads: 1, prefillTokensPerSecond: 100, decodeTokensPerSecond: 100 }];
    const start = new SlowStart({ prefill: 1, decode: 1, measured });
    start.begin(beginning);
    expect(start.isOn).toBe(false);
  });
});
