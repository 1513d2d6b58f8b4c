import type { LoadOptions } from "../../contract/model-settings.ts";
import type { GgufHeader } from "../../gguf/gguf-header.ts";
import { layerValues, numberValue, textValue } from "../../gguf/gguf-values.ts";
import { holdsHeads, type CacheTypes } from "../../gguf/kv-shape.ts";
import { optionsRefused } from "./options-refused.ts";

export interface CacheSettings extends CacheTypes {
  readonly flashAttention: boolean;
}

/**
 * How keys and values are kept, of what was asked for. llama.cpp would end the process over some of what is refused
 * here, and give no reason for the rest. `auto` is flash attention wherever the model can have it. Throws
 * OPTIONS_REFUSED; `path` is the model's.
 */
export function cacheSettings(
  header: GgufHeader,
  { keyType, valueType, flashAttention: wish }: Pick<LoadOptions, "keyType" | "valueType" | "flashAttention">,
  path: string,
): CacheSettings {
  const heads = headLengths(header);
  const isAble = canUseFlashAttention(header);
  if (valueType !== "f16" && wish === "off") throw optionsRefused("values-need-flash-attention", path);
  if (!isAble && (valueType !== "f16" || wish === "on")) throw optionsRefused("no-flash-attention", path);
  if (keyType !== valueType && isLatent(header)) throw optionsRefused("cache-types-differ", path);
  const isFitting =
    heads.keys.every((length) => holdsHeads(keyType, length)) &&
    heads.values.every((length) => holdsHeads(valueType, length));
  if (!isFitting) throw optionsRefused("cache-type-does-not-fit", path);
  return { keyType, valueType, flashAttention: isAble && wish !== "off" };
}

interface HeadLengths {
  readonly keys: readonly number[];
  readonly values: readonly number[];
}

/** Layers with a window may have heads of their own. */
function headLengths(header: GgufHeader): HeadLengths {
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

/** Multi-head latent attention: values are a part of the keys. */
function isLatent(header: GgufHeader): boolean {
  const architecture = textValue(header, "general.architecture") ?? "";
  return architecture === "deepseek4" || (numberValue(header, `${architecture}.attention.key_length_mla`) ?? 0) > 0;
}
