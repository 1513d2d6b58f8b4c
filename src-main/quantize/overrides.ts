/** What a quantized file says of itself that its source does not, as `llama_model_kv_override`. Pure. */
import { basename } from "node:path";
import type { Imatrix } from "./imatrix.ts";

export interface Override {
  readonly key: string;
  readonly value: string | number;
}

const sizes = { entry: 264, keyAt: 4, valueAt: 136, textBytes: 127 } as const;
const tags = { number: 0, text: 3 } as const;
const defaultAlignment = 32;

/** The importance matrix it was made with: the same keys as llama.cpp's own program writes, but never a folder's name. */
export function imatrixOverrides(path: string, { weights, datasets, chunks }: Imatrix): Override[] {
  const [dataset] = datasets;
  return [
    { key: "quantize.imatrix.file", value: cut(basename(path)) },
    ...(dataset === undefined ? [] : [{ key: "quantize.imatrix.dataset", value: cut(dataset) }]),
    { key: "quantize.imatrix.entries_count", value: weights.size },
    ...(chunks > 0 ? [{ key: "quantize.imatrix.chunks_count", value: chunks }] : []),
  ];
}

/**
 * The quantizer aligns what it writes to 32 bytes whatever the source does, and copies the key in which the source says
 * otherwise: the file could not be read. With the key put right it can.
 */
export function alignmentOverrides(sourceAlignment: number): Override[] {
  return sourceAlignment === defaultAlignment ? [] : [{ key: "general.alignment", value: defaultAlignment }];
}

/** One after the other, ended by one without a key; `null` for none. */
export function encodeOverrides(overrides: readonly Override[]): Buffer | null {
  if (overrides.length === 0) return null;
  const bytes = Buffer.alloc(sizes.entry * (overrides.length + 1));
  for (const [index, { key, value }] of overrides.entries()) {
    const entry = bytes.subarray(index * sizes.entry, (index + 1) * sizes.entry);
    entry.writeInt32LE(typeof value === "number" ? tags.number : tags.text);
    entry.write(key, sizes.keyAt);
    if (typeof value === "number") entry.writeBigInt64LE(BigInt(value), sizes.valueAt);
    else entry.write(value, sizes.valueAt);
  }
  return bytes;
}

/** As much as the library's field holds, in whole characters. */
function cut(text: string): string {
  let cutText = "";
  for (const character of text) {
    if (Buffer.byteLength(cutText + character) > sizes.textBytes) break;
    cutText += character;
  }
  return cutText;
}
