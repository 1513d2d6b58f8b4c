import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { blockKey, snapshotKey, tokenBytes } from "../../../../src-main/engine/kv/block-key.ts";

const root = "ab".repeat(32);

describe("a block's key", () => {
  test("is the hash of its parent's key and its tokens, 32 bits each, the lowest byte first", () => {
    const expected = createHash("sha256")
      .update(Buffer.from(root, "hex"))
      .update(Buffer.from([1, 0, 0, 0, 0, 1, 0, 0]));
    expect(blockKey(root, [1, 256])).toBe(expected.digest("hex"));
    expect(blockKey(root, Uint32Array.of(1, 256))).toBe(blockKey(root, [1, 256]));
  });

  test("differs with every token, their number, and all that comes before", () => {
    const keys = [
      blockKey(root, [1, 2]),
      blockKey(root, [2, 1]),
      blockKey(root, [1, 2, 0]),
      blockKey(root, [1]),
      blockKey("cd".repeat(32), [1, 2]),
      blockKey(blockKey(root, [1]), [2]),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("is never that of a snapshot", () => {
    expect(snapshotKey(root, [1, 2])).not.toBe(blockKey(root, [1, 2]));
    expect(snapshotKey(root, [1, 2])).not.toBe(snapshotKey(root, [1, 3]));
  });
});

test("tokens are stored 32 bits each, also ids beyond 2^31", () => {
  expect(tokenBytes([0xffff_fffe])).toEqual(Buffer.from([0xfe, 0xff, 0xff, 0xff]));
});
