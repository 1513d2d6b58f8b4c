import type { BlockKey } from "./block-key.ts";
import { isShorterPrefix } from "./block-catalog.ts";
import type { BlockStore } from "./block-store.ts";
import type { RecentBlocks } from "./recent-blocks.ts";
import type { PutOutcome } from "./store-outcome.ts";
import type { BlockDescription, NewBlock } from "./stored-block.ts";

export type WriteOutcome =
  | PutOutcome
  /** A longer block came before it was written. */
  | { readonly kind: "superseded" };

export interface BlockWriterOptions {
  readonly store: Pick<BlockStore, "put" | "saveUse" | "vacuumStep">;
  readonly recent: RecentBlocks;
  /** Resolves when nothing is computed, and never rejects. Asked before every block. */
  readonly whenIdle: () => Promise<void>;
  /** Beyond this the oldest are written at once. */
  readonly maxPendingBytes: number;
  readonly onOutcome: (block: BlockDescription, outcome: WriteOutcome) => void;
}

interface Pending {
  readonly block: NewBlock;
  isDue: boolean;
}

/**
 * Writes blocks in the background, one at a time and only while nothing is computed. It owns what is not written yet;
 * that is held in memory and served from there. Tails, which soon grow, wait until somebody says that it is time.
 */
export class BlockWriter {
  readonly #options: BlockWriterOptions;
  /** In the order in which they came: a block behind the one it stands on. */
  readonly #pending = new Map<BlockKey, Pending>();
  #running: Promise<void> | null = null;

  constructor(options: BlockWriterOptions) {
    this.#options = options;
  }

  /** What is not written yet, in the order in which it came: a block behind the one it stands on. */
  get pendingBlocks(): readonly NewBlock[] {
    return Array.from(this.#pending.values(), ({ block }) => block);
  }

  /** `late`: a tail, to be written by `writeLate` or `flush` unless a longer block makes it superfluous. */
  add(block: NewBlock, when: "soon" | "late"): void {
    if (this.#pending.has(block.key)) return;
    for (const shorter of this.#supersededBy(block)) this.#settle(shorter, { kind: "superseded" });
    this.#pending.set(block.key, { block, isDue: when === "soon" });
    this.#options.recent.hold(block.key, block.payload);
    while (this.#pending.size > 1 && this.#options.recent.heldBytes > this.#options.maxPendingBytes)
      this.#writeOldest();
    if (when === "soon") this.#start();
  }

  /** Tails too are due now: the conversation is left, or nothing has happened for a while. */
  writeLate(): void {
    for (const pending of this.#pending.values()) pending.isDue = true;
    this.#start();
  }

  /** Writes all there is at once, without waiting; for the end. */
  flush(): void {
    while (this.#pending.size > 0) this.#writeOldest();
    this.#options.store.saveUse();
  }

  /** Forgets blocks that nobody needs any more, and what stands on them. Returns them, as they came. */
  discard(keys: Iterable<BlockKey>): NewBlock[] {
    const gone = new Set(keys);
    const discarded: NewBlock[] = [];
    for (const { block } of this.#pending.values()) {
      if (!gone.has(block.key) && !gone.has(block.parent)) continue;
      gone.add(block.key);
      discarded.push(block);
      this.#pending.delete(block.key);
      this.#options.recent.delete(block.key);
    }
    return discarded;
  }

  /** Resolves when all that was due is written. */
  async whenDone(): Promise<void> {
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#nextDue() !== null) this.#start();
    });
  }

  async #run(): Promise<void> {
    const { whenIdle, store } = this.#options;
    for (let due = this.#nextDue(); due !== null; due = this.#nextDue()) {
      await whenIdle();
      // It may have been written or discarded meanwhile.
      if (this.#pending.has(due.key)) this.#write(due);
      await afterEventLoopTurn();
    }
    await whenIdle();
    store.saveUse();
    while (this.#nextDue() === null && store.vacuumStep()) {
      await afterEventLoopTurn();
      await whenIdle();
    }
  }

  #nextDue(): NewBlock | null {
    for (const { block, isDue } of this.#pending.values()) if (isDue) return this.#firstOfChain(block);
    return null;
  }

  /** What it stands on may be a tail that would have waited. */
  #firstOfChain(block: NewBlock): NewBlock {
    const before = this.#pending.get(block.parent);
    return before === undefined ? block : this.#firstOfChain(before.block);
  }

  #writeOldest(): void {
    const [oldest] = this.#pending.values();
    if (oldest !== undefined) this.#write(this.#firstOfChain(oldest.block));
  }

  #write(block: NewBlock): void {
    this.#settle(block, this.#options.store.put(block));
  }

  #settle(block: NewBlock, outcome: WriteOutcome): void {
    const { recent, onOutcome } = this.#options;
    this.#pending.delete(block.key);
    if (outcome.kind === "superseded") recent.delete(block.key);
    else recent.release(block.key);
    onOutcome(block, outcome);
  }

  #supersededBy({ parent, kind, tokens }: NewBlock): NewBlock[] {
    if (kind === "snapshot") return [];
    const pending = [...this.#pending.values()].map((entry) => entry.block);
    const parents = new Set(pending.map((block) => block.parent));
    return pending.filter(
      (block) =>
        block.kind === "rows" && block.parent === parent && !parents.has(block.key) && isShorterPrefix(block, tokens),
    );
  }
}

function afterEventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
