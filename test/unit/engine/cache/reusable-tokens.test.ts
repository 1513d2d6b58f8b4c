import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  commonPrefixLength,
  reusableTokens,
  type ResumeRule,
} from "../../../../src-main/engine/cache/reusable-tokens.ts";

const anywhere: ResumeRule = { kind: "anywhere" };
const window: ResumeRule = { kind: "within-window", windowTokens: 100 };
const onlyAtEnd: ResumeRule = { kind: "only-at-end" };

/** Token ids that count up from 1. */
const tokens = (length: number) => Array.from({ length }, (_, index) => index + 1);
const changedAt = (index: number, length: number) => tokens(length).with(index, -1);

describe("a model that keeps every token", () => {
  const reuse = (resident: number[], prompt: number[]) =>
    reusableTokens({ resident, prompt, firstPosition: resident.length === 0 ? null : 0, rule: anywhere });

  test("goes on from where both are equal", () => {
    expect(reuse(tokens(10), changedAt(7, 20))).toBe(7);
    expect(reuse(tokens(10), tokens(20))).toBe(10);
    expect(reuse(tokens(10), changedAt(0, 20))).toBe(0);
    expect(reuse([], tokens(20))).toBe(0);
  });

  test("always leaves one token to compute: the first answer token comes from its logits", () => {
    expect(reuse(tokens(10), tokens(10))).toBe(9);
    expect(reuse(tokens(10), tokens(4))).toBe(3);
    expect(reuse(tokens(10), tokens(1))).toBe(0);
  });

  test("whatever the tokens are: what is kept is equal, and never all of the prompt", () => {
    const ids = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 12 });
    fc.assert(
      fc.property(
        ids,
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 12 }),
        (resident, prompt) => {
          const kept = reuse(resident, prompt);
          expect(prompt.slice(0, kept)).toEqual(resident.slice(0, kept));
          expect(kept).toBeLessThan(prompt.length);
          expect(kept).toBe(Math.min(commonPrefixLength(resident, prompt), prompt.length - 1));
        },
      ),
    );
  });
});

describe("a model with a window of 100", () => {
  const reuse = (prompt: number[], firstPosition: number) =>
    reusableTokens({ resident: tokens(1_000), prompt, firstPosition, rule: window });

  test("goes on at the very end however much the window has dropped", () => {
    expect(reuse(tokens(1_200), 900)).toBe(1_000);
  });

  test("goes back while the window before that point is whole", () => {
    expect(reuse(changedAt(950, 1_200), 850)).toBe(950);
  });

  test("computes everything when one position of that window is gone", () => {
    expect(reuse(changedAt(950, 1_200), 851)).toBe(0);
  });

  test("goes back to anywhere while nothing is dropped", () => {
    expect(reuse(changedAt(5, 1_200), 0)).toBe(5);
  });
});

describe("a model with a state that cannot be taken back", () => {
  const reuse = (prompt: number[]) =>
    reusableTokens({ resident: tokens(10), prompt, firstPosition: 9, rule: onlyAtEnd });

  test("goes on at the end, or computes everything", () => {
    expect(reuse(tokens(12))).toBe(10);
    expect(reuse(changedAt(9, 12))).toBe(0);
    expect(reuse(tokens(10))).toBe(0);
  });
});
