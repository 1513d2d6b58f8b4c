/**
 * How much memory a model takes with a context, and how large a context fits: pure arithmetic over what the file says.
 * llama.cpp allocates all of it when the context is made, so the cache is exact wherever the shape is.
 */
import type { CacheType } from "../contract/memory-plan.ts";
import type { CacheShape, LayerCache } from "./cache-shape.ts";
import { computeBytes, type ComputeShape } from "./compute-bytes.ts";

export interface ModelShape {
  readonly weightsBytes: number;
  readonly cache: CacheShape;
  readonly compute: ComputeShape;
}

export interface ContextChoice {
  /** Of each user. */
  readonly contextTokens: number;
  readonly users: number;
  readonly keyType: CacheType;
  readonly valueType: CacheType;
  readonly flashAttention: boolean;
  /** Tokens computed in one call. */
  readonly chunkTokens: number;
}

/** llama.cpp pads every context, and every sliding window's cells, to whole blocks of so many. */
const cellBlock = 256;

const elementBytes: Readonly<Record<CacheType, number>> = { F16: 2, Q8_0: 34 / 32, Q4_0: 18 / 32 };
const stateElementBytes = 4;
/** A context beyond this is no answer to any question. */
const mostTokens = 2 ** 40;

/** Bytes of the keys and values of one token in all layers. */
export function kvBytesPerToken(cache: CacheShape, choice: CacheTypes): number {
  return cache.layers.reduce((sum, layer) => sum + rowBytes(cache, layer, choice), 0);
}

type CacheTypes = Pick<ContextChoice, "keyType" | "valueType" | "flashAttention">;

/** Bytes that llama.cpp allocates for the caches of all users. */
export function cacheBytes(cache: CacheShape, choice: ContextChoice): number {
  const cells = padded(choice.contextTokens);
  const windowCells = padded(Math.min(cells, cache.windowTokens + choice.chunkTokens));
  const ofOne = cache.layers.reduce((sum, layer) => {
    const kept = layer.keeps === "all" ? cells : layer.keeps === "window" ? windowCells : 0;
    return sum + kept * rowBytes(cache, layer, choice) + layer.stateElements * stateElementBytes;
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
function rowBytes(cache: CacheShape, layer: LayerCache, { keyType, valueType, flashAttention }: CacheTypes): number {
  if (layer.keeps === "none") return 0;
  const widest = Math.max(...cache.layers.map(({ valueElements }) => valueElements));
  const values = flashAttention || layer.valueElements === 0 ? layer.valueElements : widest;
  return layer.keyElements * elementBytes[keyType] + values * elementBytes[valueType];
}
