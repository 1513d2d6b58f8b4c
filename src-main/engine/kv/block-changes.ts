/** What a change of the store's index is in the file: each within one transaction, all or nothing. */
import type { BlockTables } from "./block-tables.ts";
import { noteLostBlocks, settleLostBlocks } from "./lost-blocks.ts";
import type { InsertPlan } from "./plan-insert.ts";
import type { RemovalCause } from "./store-outcome.ts";
import { evictionEntries } from "./store-room.ts";
import type { StoredBlock } from "./stored-block.ts";

/** Bytes written since the file was begun. */
export const writtenTotal = "written-bytes";

export function insertBlock(
  tables: BlockTables,
  { block, evicted, superseded }: InsertPlan,
  payload: Uint8Array,
): void {
  for (const leaving of [...evicted, ...superseded]) tables.remove(leaving);
  noteLostBlocks(tables, evicted, "evicted");
  tables.insert(block, payload);
  settleLostBlocks(tables, block);
  tables.logEvictions(evictionEntries(evicted, block, block.createdMs));
  tables.addToTotal(writtenTotal, writtenBytesOf(block));
}

/** For a smaller budget. */
export function evictBlocks(tables: BlockTables, blocks: readonly StoredBlock[], nowMs: number): void {
  blocks.forEach(tables.remove);
  noteLostBlocks(tables, blocks, "evicted");
  tables.logEvictions(evictionEntries(blocks, null, nowMs));
}

export function removeBlocks(tables: BlockTables, blocks: readonly StoredBlock[], cause: RemovalCause): void {
  blocks.forEach(tables.remove);
  if (cause === "damaged") noteLostBlocks(tables, blocks, "store-damaged");
}

export function writtenBytesOf({ payloadBytes, tokens }: StoredBlock): number {
  return payloadBytes + tokens.byteLength;
}
