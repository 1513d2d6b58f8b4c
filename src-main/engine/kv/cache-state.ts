/** What the memory screen shows of the cache, put together from those who own it. */
import { emptyStore, type CacheState, type Residency } from "../../contract/cache.ts";
import { activeSequence } from "./cell-ledger.ts";
import type { KvCache } from "./kv-cache.ts";
import type { KvStore } from "./kv-store.ts";
import type { BlockKey } from "./block-key.ts";
import { failureSentence } from "./failure-sentence.ts";
import type { StoredBlock } from "./stored-block.ts";

export interface CacheStateFacts {
  /** `null` while no model is loaded. */
  readonly cache: KvCache | null;
  readonly models: CacheState["models"];
  readonly bytesPerToken: number;
  /** `null` before the first model: nobody has said where it lies. */
  readonly store: KvStore | null;
  readonly shortfalls: Readonly<Record<string, number>>;
  readonly pinned: readonly string[];
}

export function cacheState(facts: CacheStateFacts): CacheState {
  const { cache, models, bytesPerToken, store, shortfalls, pinned } = facts;
  return {
    models: [...models],
    cells: cache === null ? null : cache.parts.stream.counts,
    bytesPerToken,
    runs: cache === null ? [] : runsOf(cache),
    store: store === null ? noStore : storeState(store, cache?.saveFailure ?? null),
    residency: residency(models, store),
    evictions: (store?.evictions ?? []).map(({ atMs, savedConversationId, conversationId, tokenCount, diskBytes }) => {
      return { atMs, savedConversationId, conversationId, tokens: tokenCount, bytes: diskBytes };
    }),
    shortfalls: { ...shortfalls },
    pinned: [...pinned],
  };
}

export function storedBytesOf(store: KvStore, conversationId: string): number {
  return [...store.storedBlocks].reduce(
    (sum, block) => sum + (block.conversationId === conversationId ? block.payloadBytes : 0),
    0,
  );
}

function runsOf({ parts: { stream } }: KvCache): CacheState["runs"] {
  const runs = stream.runs.map(({ cells, sequences }) => ({
    cells,
    holders: sequences.map((sequence) => {
      const holding = stream.holdingOf(sequence);
      const role = holding.role === "side" ? "side" : sequence === activeSequence ? "active" : "branch";
      return { conversationId: holding.conversationId, role } as const;
    }),
  }));
  const { free } = stream.counts;
  return free > 0 ? [...runs, { cells: free, holders: [] }] : runs;
}

function residency(models: CacheState["models"], store: KvStore | null): Residency[] {
  const stored = new Map<string, { tokens: number; storedBytes: number }>();
  for (const { conversationId, from, tokens, payloadBytes } of store?.storedBlocks ?? []) {
    if (conversationId === null) continue;
    const known = stored.get(conversationId) ?? { tokens: 0, storedBytes: 0 };
    const end = Math.max(known.tokens, from + tokens.length);
    stored.set(conversationId, { tokens: end, storedBytes: known.storedBytes + payloadBytes });
  }
  const inPlace = new Map<string, number>();
  for (const { conversationId, tokens } of models.flatMap((model) => model.inPlace)) {
    inPlace.set(conversationId, Math.max(inPlace.get(conversationId) ?? 0, tokens));
  }
  return [...new Set([...inPlace.keys(), ...stored.keys()])].map((conversationId) => {
    const tokens = inPlace.get(conversationId);
    const { tokens: storedTokens = 0, storedBytes = 0 } = stored.get(conversationId) ?? {};
    const state = tokens === undefined ? "stored" : "in-place";
    return { conversationId, state, tokens: tokens ?? storedTokens, storedBytes };
  });
}

function storeState(store: KvStore, saveFailure: string | null): CacheState["store"] {
  const { failure, startedAnew, budgetBytes, usedBytes, fileBytes, blockCount, tokenCount, writtenBytes } =
    store.figures;
  return {
    isEnabled: store.isEnabled,
    failure: failure === null ? saveFailure : failureSentence(failure),
    startedAnew,
    budgetBytes,
    usedBytes,
    fileBytes,
    blocks: blockCount,
    tokens: tokenCount,
    ...sharing([...store.storedBlocks]),
    writtenBytes,
    pendingBytes: store.pendingBytes,
  };
}

/** Blocks that conversations besides their own stand on. */
function sharing(blocks: readonly StoredBlock[]): { sharedBlocks: number; savedBySharingBytes: number } {
  const users = new Map<BlockKey, Set<string>>();
  for (const block of blocks.toReversed()) {
    const own = users.get(block.key) ?? new Set();
    if (block.conversationId !== null) own.add(block.conversationId);
    users.set(block.key, own);
    const parents = users.get(block.parent) ?? new Set();
    users.set(block.parent, new Set([...parents, ...own]));
  }
  const shared = blocks.filter(({ key }) => (users.get(key)?.size ?? 0) > 1);
  const savedBySharingBytes = shared.reduce(
    (sum, { key, payloadBytes }) => sum + payloadBytes * ((users.get(key)?.size ?? 1) - 1),
    0,
  );
  return { sharedBlocks: shared.length, savedBySharingBytes };
}

const noStore: CacheState["store"] = { ...emptyStore, isEnabled: false };
