/**
 * Which blocks go when the store is full. Pure. A block is worth what it was used, decayed, for each byte it takes; but a
 * block is of no use without those before it, so suffixes go before prefixes, and what a pinned conversation needs last.
 */
import type { BlockKey } from "./block-key.ts";
import { scoreNow, type DecayedUse } from "./decayed-use.ts";

export interface EvictionCandidate {
  readonly key: BlockKey;
  /** Key of the block before it; anything else where there is none. */
  readonly parent: BlockKey;
  /** Position of its first token: larger than its parent's. */
  readonly from: number;
  readonly diskBytes: number;
  readonly use: DecayedUse;
  readonly isPinned: boolean;
}

export interface EvictionPlan {
  /** In the order in which they go: none before a block that stands on it. */
  readonly evict: readonly BlockKey[];
  readonly freedBytes: number;
  readonly isEnough: boolean;
}

/** A use of a day ago counts half. */
export const storeHalfLifeMs = 24 * 3_600_000;

/**
 * Frees at least `needBytes` where that is possible. `keep`: what must stay, such as the newest entry or what a new block
 * stands on; with each, all blocks before it stay too.
 */
export function planStoreEviction(
  blocks: readonly EvictionCandidate[],
  needBytes: number,
  nowMs: number,
  keep: ReadonlySet<BlockKey> = new Set(),
): EvictionPlan {
  const evict: BlockKey[] = [];
  let freedBytes = 0;
  for (const { block, isKept } of inOrder(blocks, nowMs, keep)) {
    if (freedBytes >= needBytes || isKept) break;
    evict.push(block.key);
    freedBytes += block.diskBytes;
  }
  return { evict, freedBytes, isEnough: freedBytes >= needBytes };
}

interface Rank {
  readonly block: EvictionCandidate;
  isKept: boolean;
  isPinned: boolean;
  score: number;
}

/** A block ranks no lower than any that stands on it: by that, ordering by rank alone puts suffixes first. */
function inOrder(blocks: readonly EvictionCandidate[], nowMs: number, keep: ReadonlySet<BlockKey>): Rank[] {
  const ranks = blocks.map((block): Rank => {
    const score = scoreNow(block.use, nowMs, storeHalfLifeMs) / block.diskBytes;
    return { block, isKept: keep.has(block.key), isPinned: block.isPinned, score };
  });
  const byKey = new Map(ranks.map((rank) => [rank.block.key, rank]));
  ranks.sort((a, b) => b.block.from - a.block.from);
  const withParents = ranks.flatMap((rank) => {
    const parent = byKey.get(rank.block.parent);
    return parent === undefined ? [] : [{ rank, parent }];
  });
  for (const { rank, parent } of withParents) {
    parent.isKept ||= rank.isKept;
    parent.isPinned ||= rank.isPinned;
  }
  for (const { rank, parent } of withParents) {
    // One that goes long before does not make it more useful.
    if (byClass(rank, parent) === 0) parent.score = Math.max(parent.score, rank.score);
  }
  // The sort is stable: among equals the later position goes first.
  return ranks.sort((a, b) => byClass(a, b) || a.score - b.score);
}

function byClass(a: Rank, b: Rank): number {
  return Number(a.isKept) - Number(b.isKept) || Number(a.isPinned) - Number(b.isPinned);
}
