import type { GgufHeader } from "../../gguf/gguf-header.ts";
import { numberValue, textValue } from "../../gguf/gguf-values.ts";
import type { RopeSettings } from "./fingerprint.ts";

/**
 * Some models (Phi 3 and its kin) carry two sets of RoPE factors, and llama.cpp takes one by the size of the context:
 * the same tokens get other keys in a context that is larger than the model's original one. `null`: it has no such sets.
 */
export function ropeFactors(header: GgufHeader, contextTokens: number): RopeSettings["factors"] {
  const originalTokens = largestWithShortFactors(header);
  if (originalTokens === null) return null;
  return contextTokens > originalTokens ? "long" : "short";
}

/**
 * The largest context with the same factors as one of `contextTokens`: one that holds cells must not grow beyond, for
 * there the same tokens have other keys. `null`: any.
 */
export function largestWithSameFactors(header: GgufHeader, contextTokens: number): number | null {
  return ropeFactors(header, contextTokens) === "short" ? largestWithShortFactors(header) : null;
}

function largestWithShortFactors(header: GgufHeader): number | null {
  const hasSets = header.tensors.some(({ name }) => /(^|\.)rope_factors_(long|short)\./.test(name));
  if (!hasSets) return null;
  const architecture = textValue(header, "general.architecture") ?? "";
  const originalTokens =
    numberValue(header, `${architecture}.rope.scaling.original_context_length`) ??
    numberValue(header, `${architecture}.context_length`);
  return originalTokens ?? Infinity;
}
