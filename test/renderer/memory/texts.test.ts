import { describe, expect, test } from "vitest";
import type { SelfTestResult } from "../../../src-main/contract/cache.ts";
import { budgetOf, budgetOptions } from "../../../src-renderer/memory/budget-options.ts";
import { isVerified, selfTestText, verifyText } from "../../../src-renderer/memory/check-texts.ts";
import { groupEvictions } from "../../../src-renderer/memory/group-evictions.ts";
import { residencyText } from "../../../src-renderer/memory/residency-text.ts";
import { shortfallTotals } from "../../../src-renderer/memory/shortfall-totals.ts";

/** Spaces that do not break, as ordinary ones. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

describe("the self-test", () => {
  const result: SelfTestResult = {
    tokens: 2_048,
    replayedTokens: 2_048,
    verdict: "same",
    isSameChoice: true,
    maxDifference: 0.00021,
    scale: 17.3,
    tie: null,
    restoreMs: 51,
    computeMs: 10_204,
  };

  test("says what was compared and that it is the same", () => {
    expect(plain(selfTestText(result))).toBe(
      "2,048 tokens were restored in 51 ms and computed afresh in 10 s. Both choose the same next token. " +
        "No logit differs by more than 0.00021; the largest is 17.",
    );
    expect(selfTestText({ ...result, maxDifference: 0 })).toContain("Every logit is equal.");
    expect(selfTestText({ ...result, maxDifference: null, scale: null })).not.toContain("logit");
  });

  test("shows the two tokens of a near tie, also where both choose the same", () => {
    const tie = {
      first: { text: "Max", fresh: 17.3, restored: 17.29 },
      second: { text: "\n", fresh: 17.2988, restored: 17.3 },
      distance: 0.0012,
    };
    const tied = "The two likeliest next tokens are nearly tied: “Max” is ahead of “\\n” by 0.0012.";
    expect(selfTestText({ ...result, tie })).toContain(`Both choose the same next token.`);
    expect(selfTestText({ ...result, tie })).toContain(tied);
    const other = selfTestText({ ...result, verdict: "near-tie", isSameChoice: false, tie });
    expect(other).toContain("They choose different next tokens at a near tie");
    expect(other).toContain(tied);
  });

  test("tells an error from rounding, of which it says why it cannot be ruled out", () => {
    expect(selfTestText({ ...result, verdict: "different", maxDifference: 4 })).toContain("They do not agree");
    const rounded = selfTestText({ ...result, verdict: "rounded", replayedTokens: 48, maxDifference: 0.4 });
    expect(plain(rounded)).toContain("Of 2,000 tokens it is not known in which portions they were computed first.");
  });

  test("claims nothing where nothing was stored", () => {
    expect(selfTestText({ ...result, verdict: "nothing-stored", tokens: 0 })).toContain("nothing to restore");
  });
});

describe("verifying the store", () => {
  test("says how many blocks are intact, or not", () => {
    expect(verifyText({ blocks: 0, damaged: 0, failure: null })).toBe("There are no blocks to verify.");
    expect(verifyText({ blocks: 1, damaged: 0, failure: null })).toBe("The one block is intact.");
    expect(verifyText({ blocks: 1_327, damaged: 0, failure: null })).toBe("All 1,327 blocks are intact.");
    expect(verifyText({ blocks: 327, damaged: 2, failure: null })).toContain("2 of 327 blocks are damaged");
    expect(verifyText({ blocks: 0, damaged: 0, failure: "The disk is gone." })).toContain("The disk is gone.");
  });

  test("is passed only without damage or failure", () => {
    expect(isVerified({ blocks: 3, damaged: 0, failure: null })).toBe(true);
    expect(isVerified({ blocks: 3, damaged: 1, failure: null })).toBe(false);
    expect(isVerified({ blocks: 0, damaged: 0, failure: "x" })).toBe(false);
  });
});

describe("where a conversation is", () => {
  test("is said with its tokens", () => {
    const residency = { conversationId: "c1", state: "in-place", tokens: 1_200, storedBytes: 0 } as const;
    expect(residencyText(residency, false)).toBe("in place, 1,200 tokens");
    expect(residencyText({ ...residency, state: "stored" }, false)).toBe("stored, 1,200 tokens");
    expect(residencyText(null, false)).toBe("not stored");
  });

  test("is on its way until it is in place", () => {
    const residency = { conversationId: "c1", state: "stored", tokens: 1_200, storedBytes: 0 } as const;
    expect(residencyText(residency, true)).toBe("warming");
    expect(residencyText({ ...residency, state: "in-place" }, true)).toBe("in place, 1,200 tokens");
  });
});

describe("totals of what was computed again", () => {
  test("are named by reason, the largest first, without what did not happen", () => {
    expect(shortfallTotals({ none: 900, boundary: 212, evicted: 1_810, unknown: 0 })).toEqual([
      { reason: "removed to make room", tokens: 1_810 },
      { reason: "less than a whole block of the store", tokens: 212 },
    ]);
  });

  test("keep a reason that is not known here as it came", () => {
    expect(shortfallTotals({ "something-new": 3 })).toEqual([{ reason: "something-new", tokens: 3 }]);
  });
});

describe("evictions", () => {
  const eviction = { savedConversationId: "a", conversationId: "b", tokens: 256, bytes: 1_000 };

  test("of one save from one conversation are told together", () => {
    const log = [
      { ...eviction, atMs: 5_002 },
      { ...eviction, atMs: 5_001 },
      { ...eviction, atMs: 5_000, conversationId: "c" },
      { ...eviction, atMs: 1_000, conversationId: "c" },
    ];
    expect(groupEvictions(log).map(({ conversationId, tokens, bytes }) => [conversationId, tokens, bytes])).toEqual([
      ["b", 512, 2_000],
      ["c", 256, 1_000],
      ["c", 256, 1_000],
    ]);
  });
});

describe("the room of the store", () => {
  test("is chosen by Reprise, or one of some sizes", () => {
    expect(plain(budgetOptions(null).at(1)?.name ?? "")).toBe("1.00 GB");
    expect(budgetOf("")).toBeNull();
    expect(budgetOf("8000000000")).toBe(8_000_000_000);
  });

  test("keeps a size that was set elsewhere", () => {
    expect(budgetOptions(3_000_000_000).map(({ value }) => value)).toContain("3000000000");
    expect(budgetOptions(8_000_000_000)).toHaveLength(budgetOptions(null).length);
  });
});
