/** Typed access to the metadata of a GGUF header. A value of another type than expected counts as absent. */
import type { GgufHeader } from "./gguf-header.ts";

export function textValue(header: GgufHeader, key: string): string | null {
  const value = header.metadata.get(key);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

export function numberValue(header: GgufHeader, key: string): number | null {
  const value = header.metadata.get(key);
  return typeof value === "number" ? value : null;
}

/** Most values of a model's shape may be given once for all layers or as one number for each. */
export function layerValues(header: GgufHeader, key: string, layers: number): readonly number[] | null {
  const value = header.metadata.get(key);
  if (typeof value === "number") return Array.from({ length: layers }, () => value);
  if (typeof value !== "object" || value.numbers?.length !== layers) return null;
  return value.numbers;
}
