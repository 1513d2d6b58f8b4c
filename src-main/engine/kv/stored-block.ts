import type { BlockKey } from "./block-key.ts";
import type { DecayedUse } from "./decayed-use.ts";
import type { Fingerprint } from "./fingerprint.ts";

/** What a block is, apart from its bytes. */
export interface BlockDescription {
  readonly key: BlockKey;
  /** The key of the block before it; the fingerprint for the first one and for a snapshot. */
  readonly parent: BlockKey;
  readonly fingerprint: Fingerprint;
  /** `rows`: see RowLayout. `snapshot`: a whole state file, as llama.cpp wrote it. */
  readonly kind: "rows" | "snapshot";
  /** Position of its first token; 0 for a snapshot, which holds all tokens from the start. */
  readonly from: number;
  readonly tokens: Uint32Array;
  /** The step of each token, and of all tokens before: see computed-steps.ts. */
  readonly steps: Uint32Array;
  readonly stepsBefore: number;
  /** Who computed it first. */
  readonly conversationId: string | null;
  readonly turnId: string | null;
}

export interface NewBlock extends BlockDescription {
  readonly payload: Uint8Array;
}

/** A block in the store, as its index knows it. */
export interface StoredBlock extends BlockDescription {
  /** Grows with every block: the newest has the largest. */
  readonly id: number;
  readonly payloadBytes: number;
  readonly checksum: number;
  readonly createdMs: number;
  readonly use: DecayedUse;
}

/** SQLite's largest: a block of some megabytes is written and read twice as fast as with pages of 4 KiB. */
export const pageBytes = 65_536;
const pageHeaderBytes = 4;
const rowOverheadBytes = 256;

/** What a payload takes in the file, which grows by pages. */
export function diskBytes(payloadBytes: number): number {
  return Math.ceil((payloadBytes + rowOverheadBytes) / (pageBytes - pageHeaderBytes)) * pageBytes;
}
