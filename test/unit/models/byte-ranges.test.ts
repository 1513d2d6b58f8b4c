import fc from "fast-check";
import { expect, test } from "vitest";
import {
  coveredBytes,
  missingRanges,
  prefixBytes,
  withRange,
  type ByteRange,
} from "../../../src-main/models/byte-ranges.ts";

const sizeBytes = 40;
const range = fc
  .tuple(fc.nat(sizeBytes), fc.nat(sizeBytes))
  .map(([one, other]): ByteRange => ({ from: Math.min(one, other), to: Math.max(one, other) }));

/** Each byte by itself. */
function bytesOf(ranges: readonly ByteRange[]): number[] {
  return ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
}

test("ranges hold each byte that was added once, in order and apart", () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), (added) => {
      const ranges = added.reduce<ByteRange[]>(withRange, []);
      const wanted = [...new Set(bytesOf(added))].sort((one, other) => one - other);
      expect(bytesOf(ranges)).toEqual(wanted);
      expect(coveredBytes(ranges)).toBe(wanted.length);
      expect(ranges.every(({ from }, index) => index === 0 || from > Number(ranges[index - 1]?.to))).toBe(true);
    }),
  );
});

test("what is missing is what was not added, and the prefix ends where the first gap begins", () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), (added) => {
      const ranges = added.reduce<ByteRange[]>(withRange, []);
      const there = new Set(bytesOf(added));
      const missing = Array.from({ length: sizeBytes }, (_, index) => index).filter((byte) => !there.has(byte));
      expect(bytesOf(missingRanges(ranges, sizeBytes))).toEqual(missing);
      expect(prefixBytes(ranges)).toBe(missing[0] ?? sizeBytes);
    }),
  );
});
