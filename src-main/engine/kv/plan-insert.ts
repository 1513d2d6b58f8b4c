import type { BlockCatalog } from "./block-catalog.ts";
import { firstUse } from "./decayed-use.ts";
import type { StoreFailure } from "./store-problem.ts";
import { findRoom } from "./store-room.ts";
import { diskBytes, type BlockDescription, type StoredBlock } from "./stored-block.ts";

export interface InsertRequest {
  readonly description: BlockDescription;
  readonly payloadBytes: number;
  readonly checksum: number;
  readonly budgetBytes: number;
  readonly pinned: ReadonlySet<string>;
  readonly nowMs: number;
}

export interface InsertPlan {
  readonly kind: "planned";
  readonly block: StoredBlock;
  readonly evicted: readonly StoredBlock[];
  readonly superseded: readonly StoredBlock[];
}

/** What has to happen so that a block that is not there can be stored. */
export function planInsert(
  catalog: BlockCatalog,
  { description, payloadBytes, checksum, budgetBytes, pinned, nowMs }: InsertRequest,
): InsertPlan | ({ readonly kind: "failed" } & StoreFailure) {
  if (!catalog.canHold(description)) {
    return { kind: "failed", reason: "orphan", detail: `${description.parent} is not there, or ends elsewhere` };
  }
  const superseded = catalog.supersededBy(description);
  const leavingBytes = superseded.reduce((sum, block) => sum + diskBytes(block.payloadBytes), 0);
  const needBytes = catalog.usedBytes - leavingBytes + diskBytes(payloadBytes) - budgetBytes;
  const keep = new Set([description.parent]);
  const { evicted, isEnough } = findRoom(catalog, { needBytes, nowMs, pinned, keep, leaving: superseded });
  if (!isEnough)
    return { kind: "failed", reason: "over-budget", detail: `${payloadBytes} bytes do not fit the budget` };
  const figures = { id: catalog.nextId, payloadBytes, checksum, createdMs: nowMs, use: firstUse(nowMs) };
  return { kind: "planned", block: { ...description, ...figures }, evicted, superseded };
}
