import { afterEach, describe, expect, test } from "vitest";
import {
  divergenceKindSchema,
  neverStoredReasonSchema,
  shortfallKindSchema,
  type TurnDivergence,
  type TurnShortfall,
} from "../../../src-main/contract/turn-report.ts";
import { changedPlace, divergenceCause, divergenceText } from "../../../src-renderer/chat/divergence-text.ts";
import { shortfallReason, shortfallText } from "../../../src-renderer/chat/shortfall-text.ts";
import { overwriteGetLocale } from "../../../src-renderer/paraglide/runtime.js";

afterEach(() => {
  overwriteGetLocale(() => "en");
});

/** Spaces that do not break, as ordinary ones. */
const plain = (text: string | null) => text?.replace(/[\u00a0\u202f]/g, " ");

function divergence(changes: Partial<TurnDivergence>): TurnDivergence {
  return {
    kind: "system-prompt-changed",
    tokenIndex: 4,
    before: "Be ",
    after: "kind.",
    replaced: "brief.",
    ...changes,
  };
}

function shortfall(changes: Partial<TurnShortfall>): TurnShortfall {
  return { kind: "evicted", reason: null, tokens: 340, lostMs: 1_240, ...changes };
}

describe.each(["en", "de"] as const)("in %s", (locale) => {
  test("every kind of change has words of its own", () => {
    overwriteGetLocale(() => locale);
    const causes = divergenceKindSchema.options.map(divergenceCause);
    expect(causes.every((cause) => cause.length > 0)).toBe(true);
    expect(new Set(causes).size).toBe(divergenceKindSchema.options.length);
  });

  test("every reason for computing again has words of its own", () => {
    overwriteGetLocale(() => locale);
    const kinds = shortfallKindSchema.options.map((kind) => shortfallReason(kind, null));
    const reasons = neverStoredReasonSchema.options.map((reason) => shortfallReason("never-stored", reason));
    const all = [...kinds, ...reasons];
    expect(all.every((reason) => reason.length > 0)).toBe(true);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("what changed", () => {
  test("is said with what it cost", () => {
    const report = { divergence: divergence({}), prefilled: 412, prefillMs: 600 };
    expect(plain(divergenceText(report))).toBe("The system prompt was edited: 412 tokens computed again, 600 ms.");
  });

  test("of another model nothing was there before", () => {
    const report = { divergence: divergence({ kind: "model-switched" }), prefilled: 9, prefillMs: 50 };
    expect(plain(divergenceText(report))).toBe("Another model answered: 9 tokens computed, 50 ms.");
  });

  test("counts nothing as computed again where only new text came", () => {
    const report = { divergence: divergence({ kind: "continues" }), prefilled: 1_019, prefillMs: 50 };
    expect(plain(divergenceText(report))).toBe("The conversation went on: 1,019 tokens computed, 50 ms.");
    expect(plain(divergenceText({ ...report, prefilled: 1 }))).toBe(
      "The conversation went on: 1 token computed, 50 ms.",
    );
    expect(divergenceText({ ...report, prefilled: 0 })).toBe("The conversation went on: nothing had to be computed.");
  });

  test("is not made up where the engine did not tell it", () => {
    expect(divergenceText({ divergence: null, prefilled: 412, prefillMs: 600 })).toBeNull();
  });

  test("is shown with the text around it, on one line", () => {
    const change = divergence({ before: "system\nBe ", replaced: "brief.\r\n" });
    expect(changedPlace(change)).toEqual({ before: "system↵Be ", replaced: "brief.↵", after: "kind." });
  });

  test("has no place where nothing was replaced", () => {
    expect(changedPlace(null)).toBeNull();
    expect(changedPlace(divergence({ kind: "continues", replaced: "" }))).toBeNull();
    expect(changedPlace(divergence({ kind: "regenerated", after: "" }))).toBeNull();
  });
});

describe("what was missing", () => {
  test("is said with its reason and its cost", () => {
    expect(plain(shortfallText(shortfall({})))).toBe(
      "340 tokens were known from before and computed all the same, 1.2 s: removed to make room.",
    );
    expect(shortfallText(shortfall({ kind: "never-stored", reason: "disk", tokens: 1 }))).toContain(
      "the disk did not take them",
    );
  });

  test("is never guessed", () => {
    expect(shortfallText(shortfall({ kind: "unknown" }))).toContain("the reason is not known");
  });

  test("needs no words where nothing was", () => {
    expect(shortfallText(null)).toBeNull();
    expect(shortfallText(shortfall({ kind: "none", tokens: 0 }))).toBeNull();
  });
});
