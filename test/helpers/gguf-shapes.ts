import type { GgufHeader, GgufScalar, GgufTensor } from "../../src-main/gguf/gguf-header.ts";
import { blockSizes } from "./gguf-writer.ts";

type Metadata = Readonly<Record<string, GgufScalar | readonly number[]>>;

/** A header as it comes from a file, of these values. */
export function headerOf(values: Metadata, tensors: readonly GgufTensor[] = [], sizeBytes = 0): GgufHeader {
  const metadata = new Map(
    Object.entries({ "general.architecture": "llama", ...values }).map(([key, value]) => [
      key,
      Array.isArray(value) ? { length: value.length, numbers: value as number[], holds: "values" as const } : value,
    ]),
  );
  return { metadata, tensors, sizeBytes };
}

/** Sizes of the types that tensors of tests have. */
export const knownTypes = (type: number) => blockSizes.get(type) ?? null;

/** A plain transformer of 24 layers with heads of 64: 14 that ask, `kvHeads` that are kept. */
export function attentionHeader(kvHeads: number, more: Metadata = {}): GgufHeader {
  return headerOf({
    "llama.block_count": 24,
    "llama.embedding_length": 896,
    "llama.context_length": 32_768,
    "llama.feed_forward_length": 4_864,
    "llama.attention.head_count": 14,
    "llama.attention.head_count_kv": kvHeads,
    ...more,
  });
}
