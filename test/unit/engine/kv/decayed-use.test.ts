import { expect, test } from "vitest";
import { firstUse, scoreNow, usedAgain } from "../../../../src-main/engine/kv/decayed-use.ts";

test("a use counts half after a half-life, and a quarter after two", () => {
  expect([0, 100, 200].map((nowMs) => scoreNow(firstUse(0), nowMs, 100))).toEqual([1, 0.5, 0.25]);
});

test("another use adds one to what is left", () => {
  expect(usedAgain(firstUse(0), 100, 100)).toEqual({ score: 1.5, atMs: 100 });
});

test("a clock that went back does not make old uses count more", () => {
  expect(scoreNow(firstUse(500), 0, 100)).toBe(1);
});
