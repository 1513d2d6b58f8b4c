import type { Footprint } from "../contract/model-library.ts";
import { cacheShape } from "../gguf/cache-shape.ts";
import { computeBytes, computeShape } from "../gguf/compute-bytes.ts";
import type { GgufParts } from "../gguf/gguf-parts.ts";
import { numberValue, textValue } from "../gguf/gguf-values.ts";
import { canUseFlashAttention } from "../gguf/head-lengths.ts";
import { cacheBytes } from "../gguf/memory-plan.ts";
import { elementsOf, weightsBytes } from "../gguf/tensor-bytes.ts";
import { engineTables } from "./engine-tables.ts";

/** As the engine begins where memory is not short, on a processor. */
const beginningTokens = 8_192;
const chunkTokens = 256;
const bytesOfF16 = 2;
const bytesOfQ8 = 34 / 32;

/** `null` where the file does not say how its attention is built. */
export function footprint(parts: GgufParts): Footprint | null {
  const { header } = parts[0];
  const cache = cacheShape(header);
  if (cache === null) return null;
  const headers = parts.map((part) => part.header);
  const trained = numberValue(header, `${textValue(header, "general.architecture") ?? ""}.context_length`);
  const isStated = trained !== null && Number.isSafeInteger(trained) && trained > 0;
  const contextTokens = isStated ? Math.min(trained, beginningTokens) : beginningTokens;
  const flashAttention = canUseFlashAttention(header);
  const choice = { contextTokens, users: 1, flashAttention, chunkTokens, keyType: "f16", valueType: "f16" } as const;
  const whole = cacheBytes(cache, choice);
  // Either share follows from what it would save in another type.
  const shareOf = (saved: number) => (saved * bytesOfF16) / (bytesOfF16 - bytesOfQ8);
  const keyBytes = shareOf(whole - cacheBytes(cache, { ...choice, keyType: "q8_0" }));
  const valueBytes = shareOf(whole - cacheBytes(cache, { ...choice, valueType: "q8_0" }));
  const tensors = headers.flatMap((each) => each.tensors).filter(({ name }) => !name.startsWith("rope_"));
  const found = {
    parameters: tensors.reduce((sum, tensor) => sum + elementsOf(tensor), 0),
    weightsBytes: weightsBytes(headers, engineTables.tensorType),
    contextTokens,
    keyBytes,
    valueBytes,
    stateBytes: Math.max(0, whole - keyBytes - valueBytes),
    computeBytes: computeBytes(computeShape(header, cache), choice),
  };
  // A stranger's numbers may be beyond all measure.
  return Object.values(found).every(Number.isFinite) ? found : null;
}
