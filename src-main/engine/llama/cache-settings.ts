import type { LoadOptions } from "../../contract/model-settings.ts";
import type { GgufHeader } from "../../gguf/gguf-header.ts";
import { numberValue, textValue } from "../../gguf/gguf-values.ts";
import { canUseFlashAttention, headLengths } from "../../gguf/head-lengths.ts";
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

/** Multi-head latent attention: values are a part of the keys. */
function isLatent(header: GgufHeader): boolean {
  const architecture = textValue(header, "general.architecture") ?? "";
  return architecture === "deepseek4" || (numberValue(header, `${architecture}.attention.key_length_mla`) ?? 0) > 0;
}
