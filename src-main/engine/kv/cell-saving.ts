import type { ResumeRule } from "../cache/reusable-tokens.ts";
import type { BlockSaver } from "./block-saver.ts";
import { activeSequence } from "./cell-ledger.ts";
import type { CellStream } from "./cell-stream.ts";
import type { KvStore } from "./kv-store.ts";
import type { KvTiers } from "./kv-tiers.ts";
import type { Resident } from "./resident.ts";
import type { ReuseCosts } from "./reuse-costs.ts";
import { snapshotPoints } from "./snapshot-points.ts";
import type { StoredChains } from "./stored-chains.ts";

export interface CellSavingParts {
  readonly stream: CellStream;
  readonly tiers: KvTiers;
  readonly saver: BlockSaver;
  readonly store: Pick<KvStore, "isEnabled">;
  readonly chains: Pick<StoredChains, "snapshotFor">;
  readonly rule: ResumeRule;
}

export interface PausedPrompt {
  readonly tokens: readonly number[];
  /** See Holding. */
  readonly boundaryTokens: number;
  /** See SnapshotRequest. */
  readonly isAnswered: boolean;
}

/** Hands to the store what is in place and not stored yet. It owns why that failed the last time. */
export class CellSaving {
  readonly #parts: CellSavingParts;
  #failure: unknown = null;

  constructor(parts: CellSavingParts) {
    this.#parts = parts;
  }

  /** Why the last conversation could not be saved, as a sentence; `null` where it was. */
  get failure(): string | null {
    return this.#failure instanceof Error ? this.#failure.message : null;
  }

  /** Hands the next unsaved tokens to the store. Returns whether there are more. */
  async saveStep(): Promise<boolean> {
    const unsaved = this.#parts.tiers.residents.filter((resident) => this.#isUnsaved(resident));
    const [next] = unsaved;
    if (next === undefined) return false;
    const holding = this.#parts.stream.holdingOf(next.sequence);
    try {
      const isMore = await this.#parts.saver.saveStep(next.sequence, next.tokens, holding);
      this.#failure = null;
      return isMore || unsaved.length > 1;
    } catch (caught) {
      this.#failure = caught;
      return false;
    }
  }

  /** The active sequence is left. What cannot be saved is computed again when it is needed. */
  async saveActive(): Promise<void> {
    const { stream, saver, tiers } = this.#parts;
    const { active } = stream;
    const tokens = stream.cells.tokens.slice();
    let isFailed = false;
    try {
      while (await saver.saveStep(activeSequence, tokens, active));
    } catch (caught) {
      this.#failure = caught;
      isFailed = true;
    }
    tiers.noteHandedOver(tokens.slice(0, active.keptTokens), isFailed);
  }

  /** Where to save a snapshot while the rest of a placed prompt is computed, ascending. See snapshotPoints. */
  pausesOf({ tokens, boundaryTokens, isAnswered }: PausedPrompt, costs: ReuseCosts): number[] {
    const { stream, saver, store, chains, rule } = this.#parts;
    if (rule.kind === "anywhere" || !store.isEnabled) return [];
    return snapshotPoints({
      promptTokens: tokens.length,
      boundaryTokens,
      inPlaceTokens: stream.cells.length,
      storedTokens: chains.snapshotFor(tokens)?.length ?? 0,
      isAnswered,
      costs,
      bytesOf: (count) => saver.snapshotBytes(count),
    });
  }

  /** A snapshot of what is in place, on the way through a prompt. */
  async saveHere(): Promise<void> {
    const { stream, saver } = this.#parts;
    const tokens = stream.cells.tokens.slice();
    try {
      await saver.saveStep(activeSequence, tokens, { ...stream.active, keptTokens: tokens.length });
    } catch (caught) {
      this.#failure = caught;
    }
  }

  #isUnsaved({ sequence, tokens }: Resident): boolean {
    const { rule, saver, stream } = this.#parts;
    // The state of a model with a window can only be saved whole, and only from the active sequence.
    const canBeSaved = rule.kind === "anywhere" || sequence === activeSequence;
    return canBeSaved && saver.isUnsaved(tokens, stream.holdingOf(sequence));
  }
}
