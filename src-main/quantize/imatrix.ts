/** Importance matrices: how much each input of a tensor matters, measured on some text by llama.cpp's `imatrix`. */
import { basename } from "node:path";
import { RepriseError } from "../contract/errors.ts";
import type { PlannedTensor } from "./dry-run-log.ts";

export interface Imatrix {
  /** By tensor: one weight for each input, of each expert one after the other. */
  readonly weights: ReadonlyMap<string, Float32Array>;
  /** Names of the texts it was measured on. */
  readonly datasets: readonly string[];
  readonly chunks: number;
}

/** Throws INVALID_INPUT where it was measured on another model than the one with these tensors. */
export function checkImatrixFits(path: string, { weights }: Imatrix, tensors: readonly PlannedTensor[]): void {
  const measured = tensors.filter(({ name }) => weights.has(name));
  const other = measured.find(({ name, shape }) => weights.get(name)?.length !== (shape[0] ?? 0) * (shape[2] ?? 1));
  // llama.cpp's own program lets embeddings pass, which are measured otherwise.
  const isOther = other !== undefined && !other.name.endsWith("token_embd.weight");
  if (measured.length === 0 || isOther) throw imatrixProblem(path, "it was made for another model");
}

export function imatrixProblem(path: string, detail: string): RepriseError<"INVALID_INPUT"> {
  const reason = `${basename(path)} cannot be used as an importance matrix: ${detail}`;
  return new RepriseError("INVALID_INPUT", `${reason}. Nothing was written. Choose another one, or none.`, { reason });
}
