import fc from "fast-check";
import { expect, test } from "vitest";
import { joinOwners, ownersBetween, tokensOwnedBy } from "../../../../src-main/engine/kv/token-owners.ts";

const spans = [
  { owner: "a", tokens: 3 },
  { owner: "b", tokens: 2 },
  { owner: "a", tokens: 4 },
];

test("the owners of a part are those of its tokens", () => {
  expect(ownersBetween(spans, 2, 6)).toEqual([
    { owner: "a", tokens: 1 },
    { owner: "b", tokens: 2 },
    { owner: "a", tokens: 1 },
  ]);
});

test("what no span covers is nobody's, so that the tokens behind stay whose they are", () => {
  const known = joinOwners(ownersBetween([{ owner: "a", tokens: 1 }], 0, 3), [{ owner: "b", tokens: 2 }]);
  expect([tokensOwnedBy("a", known), tokensOwnedBy("b", known)]).toEqual([1, 2]);
  expect(ownersBetween(known, 3, 5)).toEqual([{ owner: "b", tokens: 2 }]);
});

test("neighbours of one owner become one span", () => {
  const joined = joinOwners(spans, [{ owner: "a", tokens: 1 }], [{ owner: "c", tokens: 0 }]);
  expect(joined).toEqual([...spans.slice(0, 2), { owner: "a", tokens: 5 }]);
});

test("cut anywhere, the parts are the whole", () => {
  const list = fc.array(fc.record({ owner: fc.constantFrom("a", "b"), tokens: fc.nat({ max: 5 }) }), { maxLength: 6 });
  fc.assert(
    fc.property(list, fc.nat({ max: 30 }), (whole, cut) => {
      const length = whole.reduce((sum, { tokens }) => sum + tokens, 0);
      const at = Math.min(cut, length);
      const parts = joinOwners(ownersBetween(whole, 0, at), ownersBetween(whole, at, length));
      expect(parts).toEqual(joinOwners(whole));
    }),
  );
});
