/** Bytes of keys and values from a model's own description. */
import type { GgufHeader } from "./gguf-header.ts";
import { layerValues, numberValue, textValue } from "./gguf-values.ts";

const bytesOfF16 = 2;

/**
 * Bytes that the keys and values of one token take in each layer: kv heads · (key length + value length) · bytes an
 * element, F16. Kv heads may differ by layer (0: a layer without attention). `null` where the file does not say enough.
 */
export function kvRowBytes(header: GgufHeader): readonly number[] | null {
  const architecture = textValue(header, "general.architecture");
  if (architecture === null) return null;
  const layers = numberValue(header, `${architecture}.block_count`);
  const embedding = numberValue(header, `${architecture}.embedding_length`);
  if (layers === null || embedding === null) return null;
  const heads = layerValues(header, `${architecture}.attention.head_count`, layers);
  const kvHeads = layerValues(header, `${architecture}.attention.head_count_kv`, layers) ?? heads;
  if (heads === null || kvHeads === null) return null;
  const headSize = embedding / Math.max(1, ...heads);
  const keyLength = numberValue(header, `${architecture}.attention.key_length`) ?? headSize;
  const valueLength = numberValue(header, `${architecture}.attention.value_length`) ?? headSize;
  return kvHeads.map((count) => count * (keyLength + valueLength) * bytesOfF16);
}
