/** Bytes of keys and values from a model's own description. */
import { cacheShape } from "./cache-shape.ts";
import type { GgufHeader } from "./gguf-header.ts";

const bytesOfF16 = 2;

/**
 * Bytes that the keys and values of one token take in each layer: kv heads · (key length + value length) · bytes an
 * element, F16. Kv heads may differ by layer (0: a layer without attention). `null` where the file does not say enough.
 */
export function kvRowBytes(header: GgufHeader): readonly number[] | null {
  const shape = cacheShape(header);
  return shape === null
    ? null
    : shape.layers.map(({ keyElements, valueElements }) => (keyElements + valueElements) * bytesOfF16);
}
