import type { MemoryReport } from "../../contract/turn-report.ts";
import type { CellCounts } from "../kv/cell-ledger.ts";
import { bytesPerToken, cacheBytesOf, rowBytesOf, type KvLayout } from "./kv-layout.ts";

export interface MemoryUse {
  readonly layout: KvLayout;
  readonly cells: CellCounts;
  /** The first position that every layer still has of the active sequence. */
  readonly firstPosition: number | null;
  /** Tokens this turn computed. */
  readonly addedTokens: number;
  readonly store: MemoryReport["store"];
  readonly weightsBytes: number;
  /** Cells and compute buffers together. */
  readonly contextBytes: number;
  readonly residentBytes: number;
  readonly otherModels: MemoryReport["otherModels"];
}

export function memoryReport(use: MemoryUse): MemoryReport {
  const { layout, cells } = use;
  const usedCells = cells.total - cells.free;
  const { recurrentBytes } = layout;
  const fullRow = rowBytesOf(layout.full);
  const slidingRow = rowBytesOf(layout.sliding);
  const inWindow = Math.min(cells.active - (use.firstPosition ?? 0), cells.active);
  const kvAllocated = cacheBytesOf(layout);
  return {
    weights: use.weightsBytes,
    kvAllocated,
    kvLive: usedCells === 0 ? 0 : usedCells * fullRow + inWindow * slidingRow + recurrentBytes,
    kvThisTurn: use.addedTokens * bytesPerToken(layout),
    kvBytesPerToken: bytesPerToken(layout),
    kvShared: cells.shared * fullRow,
    kvParked: cells.parked * fullRow,
    store: use.store,
    computeBuffers: Math.max(0, use.contextBytes - kvAllocated),
    otherModels: use.otherModels,
    processResident: use.residentBytes,
  };
}

/** While no model is loaded. */
export function emptyMemoryReport(residentBytes: number): MemoryReport {
  return {
    weights: 0,
    kvAllocated: 0,
    kvLive: 0,
    kvThisTurn: 0,
    kvBytesPerToken: 0,
    kvShared: 0,
    kvParked: 0,
    store: null,
    computeBuffers: 0,
    otherModels: [],
    processResident: residentBytes,
  };
}
