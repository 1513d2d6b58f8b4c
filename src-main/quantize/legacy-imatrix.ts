/** The format that llama.cpp wrote importance matrices in before they were GGUF files: bare numbers, no magic. */
import { GgufError } from "../gguf/file-window.ts";
import type { Imatrix } from "./imatrix.ts";

const longestName = 1_024;

/** Throws GgufError where the numbers cannot be those of an importance matrix. */
export function readLegacyImatrix(bytes: Buffer): Imatrix {
  let position = 0;
  const take = (length: number): Buffer => {
    if (length < 0 || position + length > bytes.length)
      throw new GgufError("it is no importance matrix, or incomplete");
    position += length;
    return bytes.subarray(position - length, position);
  };
  const int = () => take(4).readInt32LE();
  const text = () => {
    const length = int();
    if (length > longestName) throw new GgufError("it is no importance matrix, or damaged");
    return take(length).toString();
  };
  const entries = int();
  if (entries < 1) throw new GgufError("it is no importance matrix, or empty");
  const weights = new Map<string, Float32Array>();
  while (weights.size < entries) {
    const name = text();
    if (weights.has(name)) throw new GgufError(`it has ${name} twice`);
    const calls = int();
    const sums = floats(take(4 * int()));
    if (sums.length === 0) throw new GgufError(`it has no weights for ${name}`);
    weights.set(name, calls > 0 ? sums.map((sum) => sum / calls) : sums);
  }
  // Both are missing in the oldest files.
  const chunks = position < bytes.length ? int() : 0;
  const datasets = position < bytes.length ? [text()].filter((dataset) => dataset !== "") : [];
  return { weights, datasets, chunks };
}

function floats(bytes: Buffer): Float32Array {
  // Through a copy: views want a position that is a multiple of four.
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
