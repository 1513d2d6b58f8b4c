import type { GgufHeader, GgufScalar } from "../../src-main/gguf/gguf-header.ts";

/** A header with these metadata, and tensors of these shapes. */
export function ggufHeaderOf(
  metadata: Readonly<Record<string, GgufScalar>>,
  tensors: Readonly<Record<string, readonly number[]>> = {},
): GgufHeader {
  return {
    metadata: new Map(Object.entries(metadata)),
    tensors: Object.entries(tensors).map(([name, shape]) => ({ name, shape, type: 1, offsetBytes: 0 })),
    sizeBytes: 0,
  };
}
