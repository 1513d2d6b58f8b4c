import type { GgufKind } from "../contract/model.ts";
import type { GgufHeader } from "./gguf-header.ts";
import { numberValue, textValue } from "./gguf-values.ts";

/** What a GGUF file is for. Only a `model` can be loaded by itself. */
export function ggufKind(header: GgufHeader): GgufKind {
  const { metadata, tensors } = header;
  const architecture = textValue(header, "general.architecture");
  const type = textValue(header, "general.type");
  if ((numberValue(header, "split.no") ?? 0) > 0) return "part";
  if (type === "adapter" || metadata.has("adapter.type")) return "adapter";
  if (type === "mmproj" || architecture === "clip") return "projector";
  if (type === "imatrix" || metadata.has("imatrix.datasets")) return "importance-matrix";
  const hasMoreParts = (numberValue(header, "split.count") ?? 1) > 1;
  if (tensors.length === 0 && !hasMoreParts) return metadata.has("tokenizer.ggml.tokens") ? "vocabulary" : "other";
  return architecture === null || architecture === "controlvector" ? "other" : "model";
}
