import { describe, expect, test } from "vitest";
import { DecodeWatch, suspicion } from "../../../../src-main/engine/tuning/decode-watch.ts";

/** Eight threads, measured at 10 ms a token. */
const tuned = () =>
  new DecodeWatch({
    prefill: 8,
    decode: 8,
    measured: [{ threads: 8, prefillTokensPerSecond: 500, decodeTokensPerSecond: 100 }],
  });

/** Notes tokens that took so long, at the start of a conversation. Returns whether the threads were lowered. */
const note = (watch: DecodeWatch, tokenMs: readonly number[], nowMs = 0) =>
  tokenMs.map((ms) => watch.note(ms, 10, nowMs)).includes(true);

describe("suspicious", () => {
  test("is a token that took many times what was measured", () => {
    expect(suspicion(3_000, 10, 0)).toBe(3);
    expect(suspicion(40, 10, 0)).toBe(1);
    expect(suspicion(20, 10, 0)).toBe(-1);
  });

  test("is not a long conversation, whose tokens take longer on any machine", () => {
    expect(suspicion(150, 10, 8_000)).toBe(-1);
    expect(suspicion(3_000, 10, 8_000)).toBe(3);
  });

  test("is hardly a fast model that was held up for a moment", () => {
    expect(suspicion(60, 1, 0)).toBe(1);
  });
});

describe("the threads are halved", () => {
  test("by two very slow tokens in a row, not by one", () => {
    const watch = tuned();
    expect(note(watch, [2_000, 10, 10, 10, 2_000])).toBe(false);
    expect(note(watch, [2_000])).toBe(true);
    expect(watch.threads).toBe(4);
  });

  test("by a run of slow tokens, not by a few among others", () => {
    const watch = tuned();
    expect(note(watch, [40, 40, 40, 10, 40, 10, 10, 40, 40, 40, 40])).toBe(false);
    expect(note(watch, [40, 40])).toBe(true);
  });

  test("down to one and no further", () => {
    const watch = tuned();
    note(
      watch,
      Array.from({ length: 20 }, () => 2_000),
    );
    expect(watch.threads).toBe(1);
  });
});

describe("the measured number is tried again", () => {
  test("with an answer ten seconds later, not before", () => {
    const watch = tuned();
    note(watch, [2_000, 2_000], 1_000);
    watch.begin(10_900);
    expect(watch.threads).toBe(4);
    watch.begin(11_000);
    expect(watch.threads).toBe(8);
  });

  test("after twice the pause each time that it fails, and after the short one again once it went well", () => {
    const watch = tuned();
    const failsAt = (nowMs: number) => {
      watch.begin(nowMs);
      expect(watch.threads).toBe(8);
      note(watch, [2_000, 2_000], nowMs);
    };
    failsAt(0);
    failsAt(10_000);
    watch.begin(29_900);
    expect(watch.threads).toBe(4);
    failsAt(30_000);
    watch.begin(70_000);
    note(watch, [10, 10], 70_000);
    failsAt(80_000);
    failsAt(90_000);
  });
});

test("a phase with more threads is held to as many while cores are scarce", () => {
  const watch = tuned();
  expect(watch.within(16)).toBe(16);
  note(watch, [2_000, 2_000]);
  expect(watch.within(16)).toBe(4);
  expect(watch.within(2)).toBe(2);
});

test("without a measurement nothing is slow", () => {
  const watch = new DecodeWatch({ prefill: 4, decode: 4, measured: [] });
  expect(note(watch, [60_000, 60_000])).toBe(false);
  expect(watch.threads).toBe(4);
});

test("an answer after a pause begins with one thread where that is nearly as fast, and goes on with all", () => {
  const watch = new DecodeWatch({
    prefill: 2,
    decode: 2,
    measured: [
      { threads: 1, prefillTokensPerSecond: 100, decodeTokensPerSecond: 95 },
      { threads: 2, prefillTokensPerSecond: 200, decodeTokensPerSecond: 100 },
    ],
  });
  watch.begin(1_000);
  watch.beginDecoding({ computedMs: 0, depthTokens: 20, nowMs: 1_000 });
  expect(watch).toMatchObject({ threads: 1, lastingThreads: 2 });
  // However slow they are, these tokens say nothing of two threads.
  expect(note(watch, [29, 29])).toBe(false);
  expect(note(watch, [400])).toBe(true);
  expect(watch).toMatchObject({ threads: 2, lastingThreads: 2 });
});
