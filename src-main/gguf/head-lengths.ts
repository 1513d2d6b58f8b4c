import type { GgufHeader } from "./gguf-header.ts";
import { layerValues, numberValue, textValue } from "./gguf-values.ts";

interface HeadLengths {
  readonly keys: readonly number[];
  readonly values: readonly number[];
}

/** Layers with a window may have heads of their own. */
export function headLengths(header: GgufHeader): HeadLengths {
  const architecture = textValue(header, "general.architecture") ?? "";
  const layers = numberValue(header, `${architecture}.block_count`) ?? 0;
  const embedding = numberValue(header, `${architecture}.embedding_length`) ?? 0;
  const heads = layerValues(header, `${architecture}.attention.head_count`, layers) ?? [];
  const usual = embedding / Math.max(1, ...heads);
  const lengths = (name: string) => {
    const ofWindow = numberValue(header, `${architecture}.attention.${name}_swa`);
    const own = numberValue(header, `${architecture}.attention.${name}`) ?? usual;
    return ofWindow === null ? [own] : [own, ofWindow];
  };
  return { keys: lengths("key_length"), values: lengths("value_length") };
}

/** As the library decides it (`flashAttentionSupported`), which knows it only when the weights are loaded. */
export function canUseFlashAttention(header: GgufHeader): boolean {
  const architecture = textValue(header, "general.architecture");
  const { keys, values } = headLengths(header);
  return architecture !== "grok" && architecture !== "gemma2" && keys[0] === values[0];
}
