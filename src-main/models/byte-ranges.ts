/** Which bytes of a file are there: ranges [from, to) in order, apart from each other. */
import { z } from "zod";

export const byteRangeSchema = z.object({ from: z.int().min(0), to: z.int().min(0) });
export type ByteRange = Readonly<z.infer<typeof byteRangeSchema>>;

/** The union of `ranges` and one more. */
export function withRange(ranges: readonly ByteRange[], added: ByteRange): ByteRange[] {
  if (added.to <= added.from) return [...ranges];
  const touching = ranges.filter(({ from, to }) => from <= added.to && to >= added.from);
  const joined = {
    from: Math.min(added.from, ...touching.map(({ from }) => from)),
    to: Math.max(added.to, ...touching.map(({ to }) => to)),
  };
  return [...ranges.filter(({ to }) => to < added.from), joined, ...ranges.filter(({ from }) => from > added.to)];
}

/** What [0, sizeBytes) has beside `ranges`. */
export function missingRanges(ranges: readonly ByteRange[], sizeBytes: number): ByteRange[] {
  const ends = [0, ...ranges.map(({ to }) => to)];
  const starts = [...ranges.map(({ from }) => from), sizeBytes];
  return ends.map((from, index) => ({ from, to: starts[index] ?? from })).filter(({ from, to }) => from < to);
}

export function coveredBytes(ranges: readonly ByteRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** How many bytes are there from the beginning on without a gap. */
export function prefixBytes(ranges: readonly ByteRange[]): number {
  const first = ranges[0];
  return first?.from === 0 ? first.to : 0;
}
