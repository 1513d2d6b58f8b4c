import { describe, expect, test } from "vitest";
import { chooseBase, type BaseInput } from "../../../../src-main/engine/kv/choose-base.ts";
import { longestPrefix } from "../../../../src-main/engine/kv/resident.ts";
import { prefillMs, restoreMs } from "../../../../src-main/engine/kv/reuse-costs.ts";
import { resident, tokens } from "../../../helpers/resident.ts";

const anywhere = { kind: "anywhere" } as const;
const costs = { prefill: { msPerToken: 2, msPerTokenAndDepth: 0.5 }, restore: { fixedMs: 10, msPerToken: 1 } };

describe("the longest beginning in place", () => {
  const prompt = [...tokens(10), 99];

  test("is that of the sequence that goes furthest along the prompt", () => {
    const residents = [resident(0, [...tokens(4), 50]), resident(3, [...tokens(7), 60]), resident(5, tokens(2))];
    expect(longestPrefix(prompt, residents, anywhere)).toEqual({ resident: residents[1], length: 7 });
  });

  test("is the active one's where others have the same", () => {
    const residents = [resident(2, tokens(5)), resident(0, tokens(5))];
    expect(longestPrefix(prompt, residents, anywhere)?.resident.sequence).toBe(0);
  });

  test("is nothing where not a token is equal, or the model cannot go back", () => {
    expect(longestPrefix(prompt, [resident(0, [7, 8])], anywhere)).toBeNull();
    expect(longestPrefix(prompt, [resident(0, [...tokens(4), 50])], { kind: "only-at-end" })).toBeNull();
  });

  test("leaves a token to compute", () => {
    expect(longestPrefix(tokens(6), [resident(0, tokens(9))], anywhere)?.length).toBe(5);
  });
});

describe("costs", () => {
  test("of computing count for each token those before it", () => {
    expect(prefillMs(costs, 0, 3)).toBe(2 + (2 + 0.5) + (2 + 1));
    expect(prefillMs(costs, 2, 4)).toBe(2 + 1 + (2 + 1.5));
    expect(prefillMs(costs, 5, 5)).toBe(0);
  });

  test("of restoring are a fixed part and one for each token", () => {
    expect(restoreMs(costs, 20)).toBe(30);
  });
});

describe("the base", () => {
  const prompt = [...tokens(50), 99];
  const owners = [{ owner: "chat", tokens: 100 }];
  const choose = (input: Partial<BaseInput>) =>
    chooseBase({
      prompt,
      residents: [],
      rule: anywhere,
      stored: null,
      costs,
      restoresBehind: true,
      mayReplace: true,
      ...input,
    });

  test("is nothing where nothing is known", () => {
    expect(choose({})).toEqual({ inPlace: null, restore: null, declined: null, length: 0 });
  });

  test("leaves the store alone where as much is in place", () => {
    const residents = [resident(0, tokens(50))];
    expect(choose({ residents, stored: { length: 50, owners } })).toMatchObject({ restore: null, length: 50 });
  });

  test("is what is in place, and the store's tokens behind it", () => {
    const residents = [resident(0, tokens(20))];
    const base = choose({ residents, stored: { length: 50, owners } });
    expect(base).toEqual({
      inPlace: { resident: residents[0], length: 20 },
      restore: { from: 20, to: 50 },
      declined: null,
      length: 50,
    });
  });

  test("is all the store's where it cannot be put behind what is in place", () => {
    const residents = [resident(0, tokens(20))];
    const base = choose({ residents, stored: { length: 50, owners }, restoresBehind: false });
    expect(base).toEqual({ inPlace: null, restore: { from: 0, to: 50 }, declined: null, length: 50 });
  });

  test("is only what is in place where that must not be given up", () => {
    const residents = [resident(0, tokens(20))];
    const base = choose({ residents, stored: { length: 50, owners }, restoresBehind: false, mayReplace: false });
    expect(base).toMatchObject({ restore: null, declined: null, length: 20 });
  });

  test("weighs the whole restore against the tokens that it saves", () => {
    const residents = [resident(0, tokens(49))];
    const base = choose({ residents, stored: { length: 50, owners }, restoresBehind: false });
    expect(base).toMatchObject({ length: 49, declined: { from: 49, to: 50, restoreMs: 60, computeMs: 26.5 } });
  });

  test("takes the beginning of a chain that holds the whole prompt", () => {
    expect(choose({ stored: { length: 51, owners } })).toMatchObject({ restore: { from: 0, to: 50 } });
  });
});
