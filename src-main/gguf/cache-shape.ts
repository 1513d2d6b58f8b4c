/**
 * What each layer of a model keeps of a conversation, from the file's own description: keys and values of every token,
 * of a window of them, or a state of one size.
 */
import type { GgufHeader } from "./gguf-header.ts";
import { layerValues, numberValue, textValue } from "./gguf-values.ts";
import { layerMix, stateElements } from "./recurrent-layers.ts";
import { slidingLayers } from "./sliding-layers.ts";

export interface LayerCache {
  /** Which tokens' keys and values it keeps. */
  readonly keeps: "all" | "window" | "none";
  /** Of one token. */
  readonly keyElements: number;
  /** Of one token; 0 where values are made from keys (multi-head latent attention). */
  readonly valueElements: number;
  /** Of its state, each of four bytes; 0 without one. */
  readonly stateElements: number;
}

export interface CacheShape {
  readonly layers: readonly LayerCache[];
  /** 0 without layers that keep a window. */
  readonly windowTokens: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly attention: "mha" | "gqa" | "mqa" | "mla" | "none";
  /** False for architectures whose caches hold more than this: what is reckoned is too little. */
  readonly isComplete: boolean;
}

/** llama.cpp ends the process on a model with more. */
const mostLayers = 512;
/** They keep keys of an indexer beside, or compress what they keep. */
const withMore = new Set(["deepseek32", "deepseek4", "glm-dsa", "dots3note", "hy_v4", "minimax-m3", "qwen4exp"]);
/** Layers from a certain one on use what earlier ones keep. */
const sharingFrom: ReadonlyMap<string, (layers: number, shared: number) => number> = new Map([
  ["gemma3n", () => 20],
  ["gemma4", (layers: number, shared: number) => layers - shared],
]);

/** `null` where the file does not say enough. */
export function cacheShape(header: GgufHeader): CacheShape | null {
  const architecture = textValue(header, "general.architecture");
  if (architecture === null) return null;
  const value = (key: string) => numberValue(header, `${architecture}.${key}`);
  const layers = value("block_count");
  const embedding = value("embedding_length");
  if (layers === null || embedding === null || !Number.isInteger(layers) || layers < 1 || layers > mostLayers)
    return null;
  const heads = layerValues(header, `${architecture}.attention.head_count`, layers);
  if (heads === null) return null;
  const kvHeads = layerValues(header, `${architecture}.attention.head_count_kv`, layers) ?? heads;
  const outside = Math.min(layers, Math.max(0, value("nextn_predict_layers") ?? 0));
  const mix = layerMix(header, architecture, kvHeads, layers - outside);
  const sliding = slidingLayers(header, architecture, layers, outside);
  const isLatent = (value("attention.key_length_mla") ?? 0) > 0 && (value("attention.value_length_mla") ?? 0) > 0;
  const sharesFrom = sharingFrom.get(architecture)?.(layers, value("attention.shared_kv_layers") ?? 0) ?? layers;
  const state = stateElements(header, architecture, heads[0] ?? 0);
  const sizes = headSizes(header, architecture, embedding, heads[0] ?? 0);
  return {
    layers: kvHeads.map((count, layer): LayerCache => {
      const { hasAttention, isRecurrent } = mix[layer] ?? { hasAttention: false, isRecurrent: false };
      const isSliding = sliding?.isSliding[layer] === true;
      const own = hasAttention && layer < sharesFrom ? count : 0;
      const { key, value: length } = isSliding ? sizes.sliding : sizes.full;
      return {
        keeps: own === 0 ? "none" : isSliding ? "window" : "all",
        keyElements: own * key,
        valueElements: isLatent ? 0 : own * length,
        stateElements: isRecurrent ? state : 0,
      };
    }),
    windowTokens: sliding?.windowTokens ?? 0,
    heads: Math.max(0, ...heads),
    kvHeads: Math.max(0, ...kvHeads),
    attention: attentionKind(Math.max(0, ...heads), Math.max(0, ...kvHeads), isLatent),
    isComplete: !withMore.has(architecture),
  };
}

function headSizes(header: GgufHeader, architecture: string, embedding: number, heads: number) {
  const length = (key: string) => numberValue(header, `${architecture}.attention.${key}`);
  const headSize = heads > 0 ? Math.floor(embedding / heads) : 0;
  const full = { key: length("key_length") ?? headSize, value: length("value_length") ?? headSize };
  const sliding = { key: length("key_length_swa") ?? full.key, value: length("value_length_swa") ?? full.value };
  return heads > 0 ? { full, sliding } : { full: { key: 0, value: 0 }, sliding: { key: 0, value: 0 } };
}

function attentionKind(heads: number, kvHeads: number, isLatent: boolean): CacheShape["attention"] {
  if (kvHeads === 0) return "none";
  if (isLatent) return "mla";
  if (kvHeads === heads) return "mha";
  return kvHeads === 1 ? "mqa" : "gqa";
}
