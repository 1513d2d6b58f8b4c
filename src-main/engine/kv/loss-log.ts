/**
 * What was lost that could have been used again, and why: tokens that left the cells or the store, or never got there.
 * It owns a bounded memory of it, oldest forgotten first, exact to the token; it knows nothing of earlier runs.
 */
import { PrefixIndex } from "./prefix-index.ts";

export type LossReason =
  | "evicted"
  /**
   * Never stored: too few tokens to be worth it, the budget was full, the disk failed, or the save was given up: a branch
   * made way before it was saved, or the store was cleared or switched off before what waited in memory was written.
   */
  | "too-short"
  | "over-budget"
  | "disk"
  | "cancelled"
  | "store-damaged"
  | "store-stale";

export interface LossLimits {
  readonly maxTokens: number;
  readonly maxLosses: number;
}

/** What may be asked of such a memory. */
export type KnownLosses = Pick<LossLog, "hasForgotten" | "reasonAt" | "lostFrom">;

interface Loss {
  readonly reason: LossReason;
  readonly order: number;
  /** The tokens before are not lost, or not by this. */
  from: number;
}

export class LossLog {
  readonly #limits: LossLimits;
  /** All losses are of one tier. */
  readonly #index = new PrefixIndex<Loss, null>(() => null);
  /** Oldest first. */
  readonly #losses = new Set<Loss>();
  #hasForgotten = false;
  #order = 0;

  constructor(limits: LossLimits) {
    this.#limits = limits;
  }

  /** Whether something that was noted is no longer known, so that a loss may have a reason nobody knows. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  /** The tokens at [from, tokens.length), which come after the others, can no longer be had from anywhere. */
  note(tokens: readonly number[], from: number, reason: LossReason): void {
    if (from >= tokens.length) return;
    this.#order += 1;
    const loss: Loss = { reason, order: this.#order, from };
    this.#losses.add(loss);
    this.#index.insert(tokens, loss);
    const { maxTokens, maxLosses } = this.#limits;
    for (const oldest of this.#losses) {
      if (this.#index.tokenCount <= maxTokens && this.#losses.size <= maxLosses) return;
      this.#remove(oldest);
      this.#hasForgotten = true;
    }
  }

  /** These tokens can be had again: what was noted of them no longer counts, for it would explain a later loss wrongly. */
  settle(tokens: readonly number[]): void {
    for (const { holder, length } of [...this.#index.matches(tokens)]) {
      if (length >= (this.#index.lengthOf(holder) ?? 0)) this.#remove(holder);
      else holder.from = Math.max(holder.from, length);
    }
  }

  /** Why the token at `position` of these is not there any more, by the last loss; `null` where that is not known. */
  reasonAt(tokens: readonly number[], position: number): LossReason | null {
    return this.#lastLossAt(tokens, position)?.reason ?? null;
  }

  /** How many of these tokens, from `position` on, are known to be lost. */
  lostFrom(tokens: readonly number[], position: number): number {
    for (const { holder, length } of this.#index.matches(tokens)) {
      if (length <= position) return 0;
      if (holder.from <= position) return length - position;
    }
    return 0;
  }

  #lastLossAt(tokens: readonly number[], position: number): Loss | null {
    let last: Loss | null = null;
    for (const { holder, length } of this.#index.matches(tokens)) {
      if (length <= position) break;
      if (holder.from <= position && (last === null || holder.order > last.order)) last = holder;
    }
    return last;
  }

  #remove(loss: Loss): void {
    this.#losses.delete(loss);
    this.#index.remove(loss);
  }
}
