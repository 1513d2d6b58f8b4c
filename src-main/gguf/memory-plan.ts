/**
 * How much memory a model takes with a context, and how large a context fits: pure arithmetic over what the file says.
 * llama.cpp allocates all of it when the context is made, so the cache is exact wherever the shape is.
 */
import type { CacheShape, LayerCache } from "./cache-shape.ts";
import { computeBytes, type ComputeShape } from "./compute-bytes.ts";
import { rowBytes, type CacheTypes } from "./kv-shape.ts";

export interface ModelShape {
  /** Of everything that is loaded with it too. */
  readonly weightsBytes: number;
  readonly cache: CacheShape;
  readonly compute: ComputeShape;
}

export interface ContextChoice extends CacheTypes {
  /** Of each user. */
  readonly contextTokens: number;
  readonly users: number;
  readonly flashAttention: boolean;
  /** Tokens computed in one call. */
  readonly chunkTokens: number;
}

/** llama.cpp pads every context, and every sliding window's cells, to whole blocks of so many. */
const cellBlock = 256;

const stateElementBytes = 4;
/** A context beyond this is no answer to any question. */
const mostTokens = 2 ** 40;

/** Bytes of the keys and values of one token in all layers. */
export function kvBytesPerToken(cache: CacheShape, choice: KeptAs): number {
  return cache.layers.reduce((sum, layer) => sum + layerRowBytes(cache, layer, choice), 0);
}

type KeptAs = CacheTypes & Pick<ContextChoice, "flashAttention">;

/** Bytes that llama.cpp allocates for the caches of all users. */
export function cacheBytes(cache: CacheShape, choice: ContextChoice): number {
  const cells = padded(choice.contextTokens);
  const windowCells = padded(Math.min(cells, cache.windowTokens + choice.chunkTokens));
  const ofOne = cache.layers.reduce((sum, layer) => {
    const kept = layer.keeps === "all" ? cells : layer.keeps === "window" ? windowCells : 0;
    return sum + kept * layerRowBytes(cache, layer, choice) + layer.stateElements * stateElementBytes;
  }, 0);
  return ofOne * choice.users;
}

/** Weights, caches and compute buffers. */
export function totalBytes(model: ModelShape, choice: ContextChoice): number {
  return model.weightsBytes + cacheBytes(model.cache, choice) + computeBytes(model.compute, choice);
}

/**
 * The largest number of tokens, in steps of `stepTokens`, whose memory is within the budget; 0 where not one step is.
 * `bytesAt` must not fall as tokens grow.
 */
export function mostTokensWithin(
  budgetBytes: number,
  bytesAt: (tokens: number) => number,
  stepTokens: number = cellBlock,
): number {
  const fits = (steps: number) => bytesAt(steps * stepTokens) <= budgetBytes;
  let least = 0;
  let most = Math.floor(mostTokens / stepTokens);
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  return least * stepTokens;
}

function padded(tokens: number): number {
  return Math.ceil(tokens / cellBlock) * cellBlock;
}

/** Without flash attention values lie by column, each layer's as wide as the widest. */
function layerRowBytes(cache: CacheShape, layer: LayerCache, { keyType, valueType, flashAttention }: KeptAs): number {
  if (layer.keeps === "none") return 0;
  const widest = Math.max(...cache.layers.map(({ valueElements }) => valueElements));
  const values = flashAttention || layer.valueElements === 0 ? layer.valueElements : widest;
  return rowBytes(layer.keyElements, keyType) + rowBytes(values, valueType);
}
