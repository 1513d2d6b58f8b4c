/**
 * What is stored for one fingerprint, by its tokens: all that is in the file and all that waits to be written. It owns
 * the index, and the memory of what was lost; the bytes are the store's.
 */
import type { BlockKey } from "./block-key.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { LossLog, type LossReason } from "./loss-log.ts";
import { PrefixIndex } from "./prefix-index.ts";
import type { BlockDescription } from "./stored-block.ts";
import { joinOwners, type OwnedSpan } from "./token-owners.ts";

const lossLimits = { maxTokens: 500_000, maxLosses: 2_000 };

/** What the store has of a prompt: the beginning of a chain, or a whole snapshot. */
export interface StoredMatch {
  readonly length: number;
  readonly owners: readonly OwnedSpan[];
  /** From the first on; the last may hold more than `length`. */
  readonly blocks: readonly BlockDescription[];
}

export class StoredChains {
  readonly fingerprint: Fingerprint;
  readonly losses = new LossLog(lossLimits);
  /** All are of one tier. */
  readonly #index = new PrefixIndex<BlockDescription, null>(() => null);
  readonly #blocks = new Map<BlockKey, BlockDescription>();

  constructor(fingerprint: Fingerprint) {
    this.fingerprint = fingerprint;
  }

  has(key: BlockKey): boolean {
    return this.#blocks.has(key);
  }

  get blocks(): Iterable<BlockDescription> {
    return this.#blocks.values();
  }

  /** A block whose chain is here up to it. Otherwise it is left out. */
  add(block: BlockDescription): void {
    if (this.#blocks.has(block.key)) return;
    const before = block.kind === "snapshot" ? [] : this.#chainTo(block.parent);
    if (before === null) return;
    this.#blocks.set(block.key, block);
    this.#index.insert(
      [...before, block].flatMap(({ tokens }) => [...tokens]),
      block,
    );
  }

  /** `reason`: why its tokens are lost; `null` where they are not. */
  remove(key: BlockKey, reason: LossReason | null): void {
    const block = this.#blocks.get(key);
    if (block === undefined) return;
    if (reason !== null) this.#noteLoss(block, reason);
    this.#index.remove(block);
    this.#blocks.delete(key);
  }

  /** Puts a block that belongs to somebody else in the place of the one with its key. */
  replace(block: BlockDescription): void {
    this.remove(block.key, null);
    this.add(block);
  }

  /** How many of the first tokens some chain or snapshot begins with, whether or not it can be gone on from there. */
  longest(tokens: readonly number[]): number {
    return this.#index.longest(tokens)?.length ?? 0;
  }

  /** The chain with the longest beginning of these tokens. */
  chainFor(tokens: readonly number[]): StoredMatch | null {
    for (const { holder, length } of this.#index.matches(tokens)) {
      const chain = this.#chainTo(holder.key);
      if (chain !== null && holder.kind === "rows") {
        return matchOf(
          chain.filter(({ from }) => from < length),
          length,
        );
      }
    }
    return null;
  }

  /** The longest snapshot of no more than `most` of these tokens; the last one has to be computed in any case. */
  snapshotFor(tokens: readonly number[], most = tokens.length - 1): StoredMatch | null {
    for (const { holder, length } of this.#index.matches(tokens)) {
      const isWhole = length === holder.tokens.length && length <= most;
      if (holder.kind === "snapshot" && isWhole) return matchOf([holder], length);
    }
    return null;
  }

  /** From the first block on; `null` where one is missing. */
  #chainTo(key: BlockKey): BlockDescription[] | null {
    const chain: BlockDescription[] = [];
    for (let next = key; next !== this.fingerprint;) {
      const block = this.#blocks.get(next);
      if (block === undefined) return null;
      chain.push(block);
      next = block.parent;
    }
    return chain.reverse();
  }

  #noteLoss(block: BlockDescription, reason: LossReason): void {
    const chain = block.kind === "snapshot" ? [block] : this.#chainTo(block.key);
    if (chain !== null)
      this.losses.note(
        chain.flatMap(({ tokens }) => [...tokens]),
        block.from,
        reason,
      );
  }
}

function matchOf(blocks: readonly BlockDescription[], length: number): StoredMatch {
  const owners = blocks.map(({ from, tokens, conversationId }) => ({
    owner: conversationId ?? "unknown",
    tokens: Math.min(length, from + tokens.length) - from,
  }));
  return { length, owners: joinOwners(owners), blocks };
}
