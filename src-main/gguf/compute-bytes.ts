/**
 * What llama.cpp takes beside weights and cache to compute a chunk: at one time either the logits of all its tokens, or a
 * layer's feed-forward network, or its attention; the largest is allocated once. Calibrated on the processor with models
 * of 1 to 8 layers, 0.9k to 4k wide, vocabularies of 1k to 152k, chunks of 64 to 512 and contexts of 512 to 16k: within
 * 1 % there. A graphics card's buffers differ by a few percent.
 */
import type { GgufHeader } from "./gguf-header.ts";
import { layerValues, numberValue, textValue } from "./gguf-values.ts";
import type { CacheShape } from "./cache-shape.ts";

/** Elements of one token on its way through a layer. */
export interface ComputeShape {
  readonly vocabulary: number;
  readonly embedding: number;
  readonly feedForward: number;
  readonly heads: number;
  /** Keys (or values) of the widest layer. */
  readonly kvWidth: number;
  /** 0 without layers that slide. */
  readonly windowTokens: number;
}

interface ComputeChoice {
  readonly contextTokens: number;
  readonly users: number;
  readonly flashAttention: boolean;
  readonly chunkTokens: number;
}

const bytesOfF32 = 4;
const bytesOfF16 = 2;

export function computeBytes(shape: ComputeShape, choice: ComputeChoice): number {
  const { vocabulary, embedding, feedForward, heads, kvWidth, windowTokens } = shape;
  const { contextTokens, users, flashAttention, chunkTokens } = choice;
  const windowCells = windowTokens === 0 ? 0 : Math.min(contextTokens, windowTokens + chunkTokens);
  // Which cells each token sees; scores of all heads for all cells only without flash attention.
  const seen = (contextTokens + windowCells) * (flashAttention ? bytesOfF16 : bytesOfF32);
  const scores = flashAttention ? 0 : heads * contextTokens;
  const logits = (vocabulary + 2 * embedding) * bytesOfF32;
  const network = (3 * feedForward + 4 * embedding) * bytesOfF32 + seen;
  const attention = (5 * embedding + 2 * kvWidth + scores) * bytesOfF32 + seen;
  const kept = users * vocabulary * bytesOfF32;
  return chunkTokens * Math.max(logits, network, attention) + kept;
}

/** Sizes that the file does not tell count as nothing. */
export function computeShape(header: GgufHeader, cache: CacheShape): ComputeShape {
  const architecture = textValue(header, "general.architecture") ?? "";
  const value = (key: string) => numberValue(header, `${architecture}.${key}`) ?? 0;
  const most = (key: string) =>
    Math.max(0, ...(layerValues(header, `${architecture}.${key}`, cache.layers.length) ?? []));
  const tokens = header.metadata.get("tokenizer.ggml.tokens");
  const experts = most("expert_used_count") * most("expert_feed_forward_length");
  return {
    vocabulary: typeof tokens === "object" ? tokens.length : value("vocab_size"),
    embedding: value("embedding_length"),
    feedForward: Math.max(most("feed_forward_length"), experts, 2 * value("ssm.inner_size")),
    heads: cache.heads,
    kvWidth: Math.max(0, ...cache.layers.map(({ keyElements }) => keyElements)),
    windowTokens: cache.windowTokens,
  };
}
