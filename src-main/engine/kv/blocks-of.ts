import { blockKey, type BlockKey } from "./block-key.ts";
import type { Fingerprint } from "./fingerprint.ts";

/** Tokens of a whole block. */
export const blockTokens = 256;

export interface BlockRange {
  readonly key: BlockKey;
  readonly parent: BlockKey;
  readonly from: number;
  readonly to: number;
  /** Shorter than a block, and nothing says that it ends there for good. */
  readonly isTail: boolean;
}

/**
 * The blocks that tokens are stored as, from the first on. Behind the system prompt a block ends too, so that all chats
 * with it share it whole.
 */
export function blocksOf(tokens: readonly number[], fingerprint: Fingerprint, boundaryTokens: number): BlockRange[] {
  const ranges: BlockRange[] = [];
  let parent: BlockKey = fingerprint;
  for (let from = 0; from < tokens.length;) {
    const end = from < boundaryTokens ? Math.min(from + blockTokens, boundaryTokens) : from + blockTokens;
    const to = Math.min(end, tokens.length);
    const key = blockKey(parent, tokens.slice(from, to));
    ranges.push({ key, parent, from, to, isTail: to < end });
    parent = key;
    from = to;
  }
  return ranges;
}

/** Whether a whole block of these ends at a position. */
export function endsBlock(position: number, boundaryTokens: number): boolean {
  if (position === 0) return false;
  return (position < boundaryTokens ? position : position - boundaryTokens) % blockTokens === 0;
}
