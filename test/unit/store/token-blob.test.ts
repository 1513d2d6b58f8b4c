import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTokens, encodeTokens } from "../../../src-main/store/token-blob.ts";

test("token ids are little-endian, four bytes each", () => {
  expect([...encodeTokens([1, 0x01020304])]).toEqual([1, 0, 0, 0, 4, 3, 2, 1]);
});

test("any token ids read back as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 0xffff_ffff })), (tokens) => {
      expect(decodeTokens(encodeTokens(tokens))).toEqual(tokens);
    }),
  );
});
