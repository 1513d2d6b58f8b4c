import { describe, expect, test } from "vitest";
import { PrefixIndex } from "../../../../src-main/engine/kv/prefix-index.ts";

/** Holders are names; their tier is the part before the dash. */
const newIndex = () => new PrefixIndex<string>((holder) => holder.split("-")[0] ?? "");

describe("the longest beginning", () => {
  test("is found with one who holds more, or goes on differently", () => {
    const index = newIndex();
    index.insert([1, 2, 3, 4], "store-a");
    expect(index.longest([1, 2])).toEqual({ length: 2, holder: "store-a" });
    expect(index.longest([1, 2, 3, 9, 9])).toEqual({ length: 3, holder: "store-a" });
    expect(index.longest([1, 2, 3, 4, 5, 6])).toEqual({ length: 4, holder: "store-a" });
  });

  test("is nothing where not even the first token is held", () => {
    const index = newIndex();
    index.insert([1, 2], "store-a");
    expect(index.longest([2, 1])).toBeNull();
    expect(index.longest([])).toBeNull();
  });

  test("is asked for by tier", () => {
    const index = newIndex();
    index.insert([1, 2, 3, 4, 5], "store-a");
    index.insert([1, 2, 9], "place-0");
    expect(index.longest([1, 2, 3, 4, 6], { tier: "place" })).toEqual({ length: 2, holder: "place-0" });
    expect(index.longest([1, 2, 3, 4, 6], { tier: "store" })).toEqual({ length: 4, holder: "store-a" });
    expect(index.longest([1, 2, 3], { tier: "lane" })).toBeNull();
  });

  test("passes over holders that are not accepted", () => {
    const index = newIndex();
    index.insert([1, 2, 3, 4], "store-damaged");
    index.insert([1, 2, 3], "store-sound");
    expect(index.longest([1, 2, 3, 4], { accepts: (holder) => holder !== "store-damaged" })).toEqual({
      length: 3,
      holder: "store-sound",
    });
  });
});

describe("a holder that grows", () => {
  test("is found with what came later", () => {
    const index = newIndex();
    index.insert([1, 2], "place-0");
    index.extend("place-0", [3]);
    index.extend("place-0", [4, 5]);
    expect(index.longest([1, 2, 3, 4, 5, 6])).toEqual({ length: 5, holder: "place-0" });
  });

  test("leaves one that had the same tokens where it was", () => {
    const index = newIndex();
    index.insert([1, 2], "place-0");
    index.insert([1, 2], "store-a");
    index.extend("place-0", [3]);
    expect(index.longest([1, 2, 3], { tier: "store" })).toEqual({ length: 2, holder: "store-a" });
    expect(index.longest([1, 2, 3], { tier: "place" })).toEqual({ length: 3, holder: "place-0" });
  });

  test("follows tokens that another one brought", () => {
    const index = newIndex();
    index.insert([1, 2, 3, 4], "store-a");
    index.insert([1], "place-0");
    index.extend("place-0", [2, 3]);
    expect(index.tokenCount).toBe(4);
    index.remove("store-a");
    expect(index.tokenCount).toBe(3);
    expect(index.lengthOf("place-0")).toBe(3);
  });

  test("may be new", () => {
    const index = newIndex();
    index.extend("place-0", [1, 2]);
    expect(index.longest([1, 2])).toEqual({ length: 2, holder: "place-0" });
  });
});

describe("a holder that goes", () => {
  test("takes along only what nobody else holds", () => {
    const index = newIndex();
    index.insert([1, 2, 3, 4], "store-a");
    index.insert([1, 2, 8, 9], "store-b");
    expect(index.tokenCount).toBe(6);
    index.remove("store-a");
    expect(index.tokenCount).toBe(4);
    expect(index.longest([1, 2, 3, 4])).toEqual({ length: 2, holder: "store-b" });
  });

  test("keeps its beginning when it is only truncated", () => {
    const index = newIndex();
    index.insert([1, 2, 3, 4], "place-0");
    index.truncate("place-0", 2);
    expect(index.longest([1, 2, 3, 4])).toEqual({ length: 2, holder: "place-0" });
    expect(index.tokenCount).toBe(2);
  });

  test("leaves nothing behind", () => {
    const index = newIndex();
    index.insert([1, 2, 3], "place-0");
    index.truncate("place-0", 0);
    index.remove("place-0");
    expect([index.tokenCount, index.holderCount, index.lengthOf("place-0")]).toEqual([0, 0, null]);
  });

  test("that never was there changes nothing", () => {
    const index = newIndex();
    index.insert([1, 2], "store-a");
    index.remove("store-b");
    index.truncate("store-b", 1);
    expect(index.longest([1, 2])).toEqual({ length: 2, holder: "store-a" });
  });
});

test("all who share a beginning come in order, the longest first", () => {
  const index = newIndex();
  index.insert([1, 2, 3], "store-a");
  index.insert([1, 7], "store-b");
  index.insert([1, 2, 3, 4, 5], "store-c");
  index.insert([6], "store-d");
  const matches = [...index.matches([1, 2, 3, 4])];
  expect(matches).toEqual([
    { length: 4, holder: "store-c" },
    { length: 3, holder: "store-a" },
    { length: 1, holder: "store-b" },
  ]);
});

test("thousands of chains with the same beginning keep it once", () => {
  const index = newIndex();
  const beginning = Array.from({ length: 1_000 }, (_, position) => position);
  const chains = Array.from({ length: 3_000 }, (_, chain) => [...beginning, 10_000 + chain, chain]);
  for (const [chain, tokens] of chains.entries()) index.insert(tokens, `store-${chain}`);
  expect(index.tokenCount).toBe(1_000 + 3_000 * 2);
  expect(chains.every((tokens, chain) => index.longest([...tokens, 7])?.holder === `store-${chain}`)).toBe(true);
});
