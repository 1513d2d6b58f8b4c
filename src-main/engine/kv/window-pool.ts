import type { ResumeRule } from "../cache/reusable-tokens.ts";

/** The cells of the layers that keep only a window. They are fewer than those the ledger counts. */
export interface WindowPool {
  readonly cells: number;
  /** The most tokens computed in one call: their cells are needed beside the window's. */
  readonly chunkTokens: number;
}

export interface WindowNeed {
  /** All tokens that the active sequence will hold. */
  readonly sequenceTokens: number;
  /** The tokens of each parked sequence, none of which shares cells with another. */
  readonly parkedTokens: readonly number[];
}

/**
 * Whether a sequence can be computed beside parked ones. llama.cpp takes a cell of the window's layers again when its
 * token has fallen out of the window of the one sequence that holds it; so a parked sequence keeps a window, and the
 * active one needs a window and a chunk.
 */
export function isWindowRoom(
  rule: ResumeRule,
  pool: WindowPool | null,
  { sequenceTokens, parkedTokens }: WindowNeed,
): boolean {
  if (rule.kind !== "within-window" || parkedTokens.length === 0) return true;
  if (pool === null) return false;
  const { windowTokens } = rule;
  const parked = parkedTokens.reduce((sum, tokens) => sum + Math.min(tokens, windowTokens), 0);
  return parked + Math.min(sequenceTokens, windowTokens + pool.chunkTokens) <= pool.cells;
}
