/** The memory the models hold, divided into parts that do not overlap: those of the one that answered, and the others. */
import type { MemoryReport } from "../../src-main/contract/turn-report.ts";

export type MemoryPart = "weights" | "kv-active" | "kv-parked" | "kv-free" | "compute" | "others";

export interface MemoryShare {
  readonly part: MemoryPart;
  readonly bytes: number;
  /** Of the sum of all parts. */
  readonly fraction: number;
}

/**
 * What is reserved for keys and values is there whether it is used or not; `kv-free` is the unused rest of it. Shared
 * cells are no part of their own: each is counted among those in use or parked already.
 */
export function memoryParts(memory: MemoryReport): {
  readonly totalBytes: number;
  readonly shares: readonly MemoryShare[];
} {
  const live = Math.min(memory.kvLive, memory.kvAllocated);
  const parked = Math.min(memory.kvParked, live);
  const parts: readonly (readonly [MemoryPart, number])[] = [
    ["weights", memory.weights],
    ["kv-active", live - parked],
    ["kv-parked", parked],
    ["kv-free", memory.kvAllocated - live],
    ["compute", memory.computeBuffers],
    ["others", memory.otherModels.reduce((sum, { bytes }) => sum + bytes, 0)],
  ];
  const totalBytes = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  return {
    totalBytes,
    shares: parts.flatMap(([part, bytes]) => (bytes === 0 ? [] : [{ part, bytes, fraction: bytes / totalBytes }])),
  };
}
