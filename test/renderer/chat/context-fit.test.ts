import { describe, expect, test } from "vitest";
import { overflowPolicySchema } from "../../../src-main/contract/conversation.ts";
import { contextFit, gaugeSegments } from "../../../src-renderer/chat/context-fit.ts";
import { canDropOldest, overflowPolicyName, overflowText } from "../../../src-renderer/chat/overflow-text.ts";
import { sampleCacheState } from "../../helpers/sample-cache-state.ts";

describe("a message", () => {
  test("fits while there is room for an answer", () => {
    expect(contextFit({ promptTokens: 1_000, contextTokens: 2_048 })).toEqual({ name: "fits" });
  });

  test("is tight where its answer would be cut", () => {
    expect(contextFit({ promptTokens: 2_000, contextTokens: 2_048 })).toEqual({ name: "tight", leftTokens: 48 });
  });

  test("is too long where not one token of an answer is left", () => {
    expect(contextFit({ promptTokens: 2_047, contextTokens: 2_048 }).name).toBe("tight");
    expect(contextFit({ promptTokens: 2_048, contextTokens: 2_048 })).toEqual({ name: "too-long", excessTokens: 1 });
    expect(contextFit({ promptTokens: 2_100, contextTokens: 2_048 })).toEqual({ name: "too-long", excessTokens: 53 });
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

  test("claims nothing while nothing is known of the cache", () => {
    expect(gaugeSegments(100, null, null)).toEqual([{ part: "unknown", tokens: 100 }]);
    expect(gaugeSegments(0, null, null)).toEqual([]);
  });
});

describe("what is done about a message that does not fit", () => {
  const overflow = { promptTokens: 4_300, contextTokens: 4_096, prefillTokensPerSecond: 200 };

  test("is named and said for every policy", () => {
    const { options } = overflowPolicySchema;
    expect(new Set(options.map(overflowPolicyName)).size).toBe(options.length);
    expect(new Set(options.map((policy) => overflowText(policy, overflow))).size).toBe(options.length);
    for (const policy of options) expect(overflowText(policy, overflow)).toContain("4,300 tokens");
  });

  test("names the most that leaving out turns may cost, where the reading speed is known", () => {
    expect(overflowText("drop-oldest", overflow)).toMatch(/computed again, 20.s at most/);
    expect(overflowText("drop-oldest", { ...overflow, prefillTokensPerSecond: null })).toMatch(/computed again\.$/);
  });

  test("is offered where an answer failed for it, unless its message alone is too long", () => {
    const error = (data: object) => ({ code: "CONTEXT_FULL", message: "", data });
    expect(canDropOldest(error({ promptTokens: 9, contextTokens: 8 }))).toBe(true);
    expect(canDropOldest(error({ promptTokens: 9, contextTokens: 8, droppableMessages: 0 }))).toBe(false);
    expect(canDropOldest({ code: "INTERNAL", message: "", data: { reason: "x" } })).toBe(false);
    expect(canDropOldest(null)).toBe(false);
  });
});
