import { emptyStore, type CacheState } from "../../src-main/contract/cache.ts";

/** The cache of a small model with one conversation in place and nothing stored. */
export function sampleCacheState(changes: Partial<CacheState> = {}): CacheState {
  return {
    models: [
      {
        path: "/models/small.gguf",
        isActive: true,
        weightsBytes: 96_600_000,
        cacheBytes: 47_185_920,
        computeBytes: 103_000_000,
        contextTokens: 2_048,
        usedCells: 184,
        inPlace: [{ conversationId: "c1", tokens: 184 }],
      },
    ],
    cells: { total: 2_048, active: 184, parked: 0, shared: 0, free: 1_864 },
    bytesPerToken: 23_040,
    runs: [
      { cells: 184, holders: [{ conversationId: "c1", role: "active" }] },
      { cells: 1_864, holders: [] },
    ],
    store: { ...emptyStore, budgetBytes: 8_000_000_000 },
    residency: [{ conversationId: "c1", state: "in-place", tokens: 184, storedBytes: 0 }],
    evictions: [],
    shortfalls: {},
    pinned: [],
    ...changes,
  };
}
