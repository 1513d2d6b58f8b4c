import { describe, expect, test } from "vitest";
import { overflowPolicySchema } from "../../../src-main/contract/conversation.ts";
import type { DraftSize } from "../../../src-main/contract/draft.ts";
import { contextFit, gaugeSegments, measuredSegments } from "../../../src-renderer/chat/context-fit.ts";
import {
  canDropOldest,
  overflowPolicyName,
  overflowText,
  shortenedText,
} from "../../../src-renderer/chat/overflow-text.ts";
import { sampleCacheState } from "../../helpers/sample-cache-state.ts";

/** Measured, with everything to be computed, a millisecond a token. */
function sizeOf(promptTokens: number, changes: Partial<DraftSize> = {}): DraftSize {
  return {
    promptTokens,
    contextTokens: 2_048,
    isFitting: promptTokens <= 1_984,
    residentTokens: 0,
    storedTokens: 0,
    computeMs: promptTokens,
    shortened: null,
    ...changes,
  };
}

describe("a message", () => {
  test("fits while there is room for an answer", () => {
    expect(contextFit(sizeOf(1_000))).toEqual({ name: "fits" });
  });

  test("is tight where its answer would be cut", () => {
    expect(contextFit(sizeOf(1_980))).toEqual({ name: "tight", leftTokens: 68 });
  });

  test("is too long where the engine would refuse it, which is before the context is full", () => {
    expect(contextFit(sizeOf(2_000))).toEqual({ name: "too-long" });
  });

  test("that leaves out old messages for the first time says what that costs", () => {
    const size = sizeOf(1_200, { residentTokens: 300, storedTokens: 250, computeMs: 900 });
    const shortened = { ...size, droppedMessages: 4, isSameCut: false };
    const fit = { name: "shortened", droppedMessages: 4, computedTokens: 900, computeMs: 900 };
    expect(contextFit(sizeOf(2_100, { shortened }))).toEqual(fit);
    expect(contextFit(sizeOf(2_100, { shortened: { ...shortened, isSameCut: true } }))).toEqual({ name: "fits" });
  });
});

describe("the gauge", () => {
  const cache = sampleCacheState();

  test("shows what is there already, and what would be computed", () => {
    expect(gaugeSegments(200, { state: "in-place", tokens: 184 }, cache)).toEqual([
      { part: "in-place", tokens: 184 },
      { part: "computed", tokens: 16 },
    ]);
    expect(gaugeSegments(100, { state: "stored", tokens: 184 }, cache)).toEqual([{ part: "stored", tokens: 100 }]);
    expect(gaugeSegments(100, null, cache)).toEqual([{ part: "computed", tokens: 100 }]);
  });

  test("shows of a measured prompt what was found of it, wherever that was computed", () => {
    const size = sizeOf(100, { residentTokens: 30, storedTokens: 80 });
    expect(measuredSegments(size)).toEqual([
      { part: "in-place", tokens: 30 },
      { part: "stored", tokens: 50 },
      { part: "computed", tokens: 20 },
    ]);
    expect(measuredSegments(sizeOf(100, { residentTokens: 99, storedTokens: 80 }))).toEqual([
      { part: "in-place", tokens: 99 },
      { part: "computed", tokens: 1 },
    ]);
  });

  test("claims nothing while nothing is known of the cache", () => {
    expect(gaugeSegments(100, null, null)).toEqual([{ part: "unknown", tokens: 100 }]);
    expect(gaugeSegments(0, null, null)).toEqual([]);
  });
});

describe("what is done about a message that does not fit", () => {
  const overflow = { promptTokens: 4_300, contextTokens: 4_096, hasEarlierTurns: true };
  const shortened = { name: "shortened", droppedMessages: 4, computedTokens: 2_900, computeMs: 20_400 } as const;

  test("is named and said for every policy", () => {
    const { options } = overflowPolicySchema;
    expect(new Set(options.map(overflowPolicyName)).size).toBe(options.length);
    expect(new Set(options.map((policy) => overflowText(policy, overflow))).size).toBe(options.length);
    for (const policy of options) expect(overflowText(policy, overflow)).toContain("4,300 tokens");
  });

  test("is nothing where there is nothing to leave out, or that is not enough", () => {
    const nothing = overflowText("drop-oldest", overflow);
    expect(nothing).toContain("would not help");
    for (const policy of overflowPolicySchema.options)
      expect(overflowText(policy, { ...overflow, hasEarlierTurns: false })).toBe(nothing);
  });

  test("names what leaving out messages costs, in tokens and, where the machine was measured, in time", () => {
    expect(shortenedText(overflow, shortened)).toMatch(/4 oldest messages.*2,900 tokens.*computed again.*20.s/);
    const unknown = shortenedText(overflow, { ...shortened, computeMs: null });
    expect(unknown).toMatch(/2,900 tokens .*computed again\.$/);
  });

  test("is offered where an answer failed for it, unless its message alone is too long", () => {
    const error = (data: object) => ({ code: "CONTEXT_FULL", message: "", data });
    expect(canDropOldest(error({ promptTokens: 9, contextTokens: 8 }))).toBe(true);
    expect(canDropOldest(error({ promptTokens: 9, contextTokens: 8, droppableMessages: 0 }))).toBe(false);
    expect(canDropOldest({ code: "INTERNAL", message: "", data: { reason: "x" } })).toBe(false);
    expect(canDropOldest(null)).toBe(false);
  });
});
