import { expect, test } from "vitest";
import { blocksOf } from "../../../../src-main/engine/kv/blocks-of.ts";
import { sampleFingerprint } from "../../../helpers/sample-blocks.ts";
import { tokens } from "../../../helpers/resident.ts";

const cuts = (count: number, boundary = 0) =>
  blocksOf(tokens(count), sampleFingerprint, boundary).map(({ from, to, isTail }) => [from, to, isTail]);

test("blocks are 256 tokens, and the rest is a tail", () => {
  expect(cuts(600)).toEqual([
    [0, 256, false],
    [256, 512, false],
    [512, 600, true],
  ]);
  expect(cuts(512)).toHaveLength(2);
  expect(cuts(0)).toEqual([]);
});

test("a block ends behind the system prompt", () => {
  expect(cuts(700, 300)).toEqual([
    [0, 256, false],
    [256, 300, false],
    [300, 556, false],
    [556, 700, true],
  ]);
});

test("two conversations with one system prompt have the same blocks up to its end", () => {
  const system = tokens(300);
  const [one, two] = [1_000, 2_000].map((first) =>
    blocksOf([...system, ...tokens(300, first)], sampleFingerprint, 300).map(({ key }) => key),
  );
  expect(one?.slice(0, 2)).toEqual(two?.slice(0, 2));
  expect(one?.[2]).not.toBe(two?.[2]);
});

test("a tail that grows to a whole block stands on the same block", () => {
  const [short, long] = [400, 512].map((count) => blocksOf(tokens(count), sampleFingerprint, 0)[1]);
  expect(short?.parent).toBe(long?.parent);
  expect(short?.key).not.toBe(long?.key);
});
