import type { CacheState } from "../../src-main/contract/cache.ts";
import { sampleCacheState } from "./sample-cache-state.ts";

/** One conversation in place, another one stored, and something to say of everything. */
export function mixedCacheState(changes: Partial<CacheState> = {}): CacheState {
  const { store, residency } = sampleCacheState();
  return sampleCacheState({
    cells: { total: 2_048, active: 300, parked: 100, shared: 50, free: 1_648 },
    store: {
      ...store,
      usedBytes: 23_592_960,
      fileBytes: 24_000_000,
      blocks: 4,
      tokens: 1_024,
      sharedBlocks: 1,
      savedBySharingBytes: 5_898_240,
      writtenBytes: 30_000_000,
      pendingBytes: 1_000_000,
    },
    residency: [...residency, { conversationId: "c2", state: "stored", tokens: 1_024, storedBytes: 23_592_960 }],
    shortfalls: { evicted: 120, none: 0 },
    ...changes,
  });
}
