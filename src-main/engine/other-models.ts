import type { MemoryReport } from "../contract/turn-report.ts";

/** The other models in memory, as far as one of them has to know. */
export interface OtherModels {
  /** Weights that are mapped from files: the system counts them as free, and they are read for every token. */
  readonly mappedBytes: number;
  /** What they would give back if they made way. */
  readonly reclaimableBytes: number;
  readonly shares: MemoryReport["otherModels"];
  /** Those longest unused make way for so many bytes. */
  makeRoom(bytes: number): Promise<void>;
}

export const noOtherModels: OtherModels = {
  mappedBytes: 0,
  reclaimableBytes: 0,
  shares: [],
  makeRoom: () => Promise.resolve(),
};
