/** Bytes of keys and values from a model's own description. */
import type { CacheType } from "../contract/model-settings.ts";
import { cacheShape } from "./cache-shape.ts";
import type { GgufHeader } from "./gguf-header.ts";

/** Elements and bytes of what a type keeps together: a row is a whole number of these. */
const blocks: Readonly<Record<CacheType, { readonly elements: number; readonly bytes: number }>> = {
  f16: { elements: 1, bytes: 2 },
  q8_0: { elements: 32, bytes: 34 },
  q4_0: { elements: 32, bytes: 18 },
};

export interface CacheTypes {
  readonly keyType: CacheType;
  readonly valueType: CacheType;
}

const bothF16: CacheTypes = { keyType: "f16", valueType: "f16" };

/**
 * Bytes that the keys and values of one token take in each layer: kv heads · (key length + value length) · bytes an
 * element. Kv heads may differ by layer (0: a layer without attention). `null` where the file does not say enough.
 */
export function kvRowBytes(header: GgufHeader, types = bothF16): readonly number[] | null {
  const shape = cacheShape(header);
  if (shape === null) return null;
  return shape.layers.map(
    ({ keyElements, valueElements }) => rowBytes(keyElements, types.keyType) + rowBytes(valueElements, types.valueType),
  );
}

/** Whether llama.cpp keeps heads of this length in this type. */
export function holdsHeads(type: CacheType, headLength: number): boolean {
  return headLength % blocks[type].elements === 0;
}

/** Bytes of so many elements side by side. */
export function rowBytes(elements: number, type: CacheType): number {
  return (elements / blocks[type].elements) * blocks[type].bytes;
}
