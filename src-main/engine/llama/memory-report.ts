import type { MemoryReport } from "../../contract/turn-report.ts";
import type { KvLayout } from "./kv-layout.ts";

export interface MemoryUse {
  readonly layout: KvLayout;
  /** Tokens whose keys and values are in place, and the first position that every layer still has. */
  readonly usedTokens: number;
  readonly firstPosition: number | null;
  /** Tokens this turn computed. */
  readonly addedTokens: number;
  readonly weightsBytes: number;
  /** Cells and compute buffers together. */
  readonly contextBytes: number;
  readonly residentBytes: number;
}

export function memoryReport(use: MemoryUse): MemoryReport {
  const { layout, usedTokens } = use;
  const { recurrentBytes } = layout;
  const fullRow = rowBytes(layout.full);
  const slidingRow = rowBytes(layout.sliding);
  const inWindow = Math.min(usedTokens - (use.firstPosition ?? 0), usedTokens);
  const kvAllocated = (layout.full?.bytes ?? 0) + (layout.sliding?.bytes ?? 0) + recurrentBytes;
  return {
    weights: use.weightsBytes,
    kvAllocated,
    kvLive: usedTokens === 0 ? 0 : usedTokens * fullRow + inWindow * slidingRow + recurrentBytes,
    kvThisTurn: use.addedTokens * (fullRow + slidingRow),
    kvBytesPerToken: fullRow + slidingRow,
    computeBuffers: Math.max(0, use.contextBytes - kvAllocated),
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
    computeBuffers: 0,
    processResident: residentBytes,
  };
}

function rowBytes(block: KvLayout["full"]): number {
  return block === null ? 0 : block.bytes / block.cells;
}
