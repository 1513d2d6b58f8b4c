/**
 * Why blocks left the store, or never got there, as kv.db itself knows it: noted with the change that lost them, so that
 * a restart forgets no reason, and a killed process leaves no wrong one. Keys only: no token is kept for it.
 */
import { z } from "zod";
import { blockKey } from "./block-key.ts";
import type { BlockTables } from "./block-tables.ts";
import { blocksOf } from "./blocks-of.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { KvFile } from "./kv-file.ts";
import type { LossReason } from "./loss-log.ts";
import { lostBlockLimit } from "./lost-block-tables.ts";
import type { BlockDescription } from "./stored-block.ts";

const reasonSchema = z.enum(["evicted", "over-budget", "store-damaged"] satisfies LossReason[]);
export type LostBlockReason = z.infer<typeof reasonSchema>;

/** How many were forgotten since the file was begun. */
const forgottenTotal = "forgotten-lost-blocks";

/** Within the transaction that removes them. Snapshots are named by all their tokens, and never looked for here. */
export function noteLostBlocks(
  tables: BlockTables,
  blocks: readonly BlockDescription[],
  reason: LostBlockReason,
): void {
  for (const { key, parent, kind, tokens, conversationId } of blocks.slice(-lostBlockLimit)) {
    if (kind !== "rows") continue;
    const forgotten = tables.lostBlocks.note({ key, parent, tokenCount: tokens.length, reason, conversationId });
    if (forgotten > 0) tables.addToTotal(forgottenTotal, forgotten);
  }
}

/** Within the transaction that stores it: what was lost of its tokens is there again. */
export function settleLostBlocks({ lostBlocks }: BlockTables, { parent, tokens }: BlockDescription): void {
  for (const { key, tokenCount } of lostBlocks.behind(parent))
    if (tokenCount <= tokens.length && blockKey(parent, tokens.subarray(0, tokenCount)) === key) lostBlocks.remove(key);
}

export interface LostPosition {
  readonly fingerprint: Fingerprint;
  /** See Holding. */
  readonly boundaryTokens: number;
  readonly position: number;
}

/** What the file says of blocks that are gone, for whoever explains a turn. It owns nothing. */
export class LostBlocks {
  readonly #file: KvFile;

  constructor(file: KvFile) {
    this.#file = file;
  }

  /** Some were noted and are no longer known; also where the file cannot be read. */
  get hasForgotten(): boolean {
    const read = this.#file.attempt(({ tables }) => tables.total(forgottenTotal));
    return read.kind === "failed" || read.result > 0;
  }

  /** Why the block is gone that held the token at `position`; `null` where the file does not know. */
  reasonAt(tokens: readonly number[], { fingerprint, boundaryTokens, position }: LostPosition): LostBlockReason | null {
    const range = blocksOf(tokens, fingerprint, boundaryTokens).find(({ to }) => to > position);
    if (range === undefined) return null;
    const { parent, from } = range;
    const read = this.#file.attempt(({ tables }) => tables.lostBlocks.behind(parent));
    const lost = read.kind === "failed" ? [] : read.result;
    const found = lost.find(({ key, tokenCount }) => {
      const end = from + tokenCount;
      return end > position && blockKey(parent, tokens.slice(from, end)) === key;
    });
    return reasonSchema.safeParse(found?.reason).data ?? null;
  }

  /** Of which some were lost; none where the file cannot be read. */
  get conversationIds(): readonly string[] {
    const read = this.#file.attempt(({ tables }) => tables.lostBlocks.conversationIds());
    return read.kind === "failed" ? [] : read.result;
  }

  forget(conversationId: string): void {
    this.#file.write(({ lostBlocks }) => {
      lostBlocks.forget(conversationId);
    });
  }
}
