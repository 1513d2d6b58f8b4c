import type { BlockCatalog } from "./block-catalog.ts";
import type { BlockKey } from "./block-key.ts";
import type { EvictionEntry } from "./eviction-log.ts";
import { planStoreEviction, type EvictionCandidate } from "./store-eviction.ts";
import { diskBytes, type StoredBlock } from "./stored-block.ts";

export interface RoomRequest {
  readonly needBytes: number;
  readonly nowMs: number;
  /** Conversations whose blocks go last. */
  readonly pinned: ReadonlySet<string>;
  /** What must stay, with all before it. */
  readonly keep: ReadonlySet<BlockKey>;
  /** What goes anyway. */
  readonly leaving: readonly StoredBlock[];
}

export interface Room {
  readonly evicted: readonly StoredBlock[];
  readonly isEnough: boolean;
}

/** What has to go so that `needBytes` more fit. */
export function findRoom(catalog: BlockCatalog, request: RoomRequest): Room {
  if (request.needBytes <= 0) return { evicted: [], isEnough: true };
  const leaving = new Set(request.leaving.map(({ key }) => key));
  const candidates = [...catalog.blocks.values()]
    .filter(({ key }) => !leaving.has(key))
    .map((block) => candidate(block, request.pinned));
  const { evict, isEnough } = planStoreEviction(candidates, request.needBytes, request.nowMs, request.keep);
  return { evicted: evict.flatMap((key) => catalog.blocks.get(key) ?? []), isEnough };
}

/** What has to go so that all fits the budget; the newest block goes last of all. */
export function findExcess(
  catalog: BlockCatalog,
  { budgetBytes, ...request }: Pick<RoomRequest, "nowMs" | "pinned"> & { readonly budgetBytes: number },
): readonly StoredBlock[] {
  const newest = [...catalog.blocks.keys()].at(-1);
  const shared = { ...request, needBytes: catalog.usedBytes - budgetBytes, leaving: [] };
  const sparing = findRoom(catalog, { ...shared, keep: new Set(newest === undefined ? [] : [newest]) });
  return (sparing.isEnough ? sparing : findRoom(catalog, { ...shared, keep: new Set() })).evicted;
}

function candidate(block: StoredBlock, pinned: ReadonlySet<string>): EvictionCandidate {
  const { key, parent, from, use, conversationId } = block;
  const isPinned = conversationId !== null && pinned.has(conversationId);
  return { key, parent, from, diskBytes: diskBytes(block.payloadBytes), use, isPinned };
}

/** `saved`: the block that needed the room; `null` where the budget was lowered. */
export function evictionEntries(
  evicted: readonly StoredBlock[],
  saved: Pick<StoredBlock, "conversationId" | "turnId"> | null,
  atMs: number,
): EvictionEntry[] {
  return evicted.map(({ conversationId, turnId, fingerprint, from, tokens, payloadBytes }) => ({
    atMs,
    savedConversationId: saved?.conversationId ?? null,
    savedTurnId: saved?.turnId ?? null,
    conversationId,
    turnId,
    fingerprint,
    from,
    tokenCount: tokens.length,
    diskBytes: diskBytes(payloadBytes),
  }));
}
