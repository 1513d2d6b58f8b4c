import type { StoreFailure } from "./store-problem.ts";
import type { StoredBlock } from "./stored-block.ts";

export type RemovalCause =
  /** There was no more room. */
  | "evicted"
  /** A longer block holds the same. */
  | "superseded"
  /** It was not what had been written. */
  | "damaged"
  /** The file was deleted under our feet. */
  | "lost"
  /** Somebody asked for it. */
  | "cleared"
  | "deleted";

/** Blocks that are no longer in the store, for whoever keeps an index of its own. */
export interface Removal {
  readonly cause: RemovalCause;
  readonly blocks: readonly StoredBlock[];
}

export type PutOutcome =
  | { readonly kind: "stored"; readonly block: StoredBlock; readonly writtenBytes: number }
  /** `isSame`: down to the last bit; else the same tokens were computed twice, and rounded differently. */
  | { readonly kind: "present"; readonly block: StoredBlock; readonly isSame: boolean }
  | ({ readonly kind: "failed" } & StoreFailure);

export type GetOutcome =
  | { readonly kind: "found"; readonly block: StoredBlock; readonly payload: Buffer }
  | { readonly kind: "missing" }
  /** It was not what had been written. It and all that stood on it are gone. */
  | { readonly kind: "damaged"; readonly dropped: readonly StoredBlock[] }
  | ({ readonly kind: "failed" } & StoreFailure);

export interface StoreFigures {
  /** Why the store cannot be used now; `null` while it works. */
  readonly failure: StoreFailure | null;
  /** Why what was there at the start could not be used; `null` where it could. */
  readonly startedAnew: "damaged" | "older" | null;
  readonly budgetBytes: number;
  readonly usedBytes: number;
  readonly fileBytes: number;
  readonly blockCount: number;
  readonly tokenCount: number;
  /** Payloads, tokens and what is remembered of prompts, written since the file was begun. */
  readonly writtenBytes: number;
}
