import type { CacheState } from "../../src-main/contract/cache.ts";

/** The cache of a small model with one conversation in place and nothing stored. */
export function sampleCacheState(changes: Partial<CacheState> = {}): CacheState {
  return {
    cells: { total: 2_048, active: 184, parked: 0, shared: 0, free: 1_864 },
    bytesPerToken: 23_040,
    runs: [
      { cells: 184, holders: [{ conversationId: "c1", role: "active" }] },
      { cells: 1_864, holders: [] },
    ],
    store: {
      isEnabled: true,
      failure: null,
      budgetBytes: 8_000_000_000,
      usedBytes: 0,
      fileBytes: 0,
      blocks: 0,
      tokens: 0,
      sharedBlocks: 0,
      savedBySharingBytes: 0,
      writtenBytes: 0,
      pendingBytes: 0,
    },
    residency: [{ conversationId: "c1", state: "in-place", tokens: 184, storedBytes: 0 }],
    evictions: [],
    shortfalls: {},
    pinned: [],
    ...changes,
  };
}
