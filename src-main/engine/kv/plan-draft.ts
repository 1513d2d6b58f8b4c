import { accountFor, type AdmissionStep } from "./admission-step.ts";
import { activeSequence, type CellLedger } from "./cell-ledger.ts";
import type { Resident, ResidentPrefix } from "./resident.ts";

/** Tokens that a plan gives up, from `from` on: what the prompt goes on from, or computes again, is not among them. */
export interface DroppedTokens {
  readonly resident: Resident;
  readonly from: number;
  readonly to: number;
  /**
   * replaced: the active sequence makes way; other-conversation: parked for a conversation that is no longer active;
   * duplicate: its beginning is put in place a second time; evicted: for room, or to keep parked cells few.
   */
  readonly reason: "replaced" | "other-conversation" | "duplicate" | "evicted";
}

/**
 * A plan in the making. It owns the steps so far, and the cells and residents as those steps leave them; it touches
 * nothing else.
 */
export class PlanDraft {
  readonly ledger: CellLedger;
  readonly #parked: Map<number, Resident>;
  readonly #steps: AdmissionStep[] = [];
  readonly #dropped: DroppedTokens[] = [];

  constructor(ledger: CellLedger, residents: readonly Resident[]) {
    this.ledger = ledger.clone();
    const parked = residents.filter(({ sequence }) => sequence !== activeSequence);
    this.#parked = new Map(parked.map((resident) => [resident.sequence, resident]));
  }

  get steps(): readonly AdmissionStep[] {
    return this.#steps;
  }

  get dropped(): readonly DroppedTokens[] {
    return this.#dropped;
  }

  get parked(): readonly Resident[] {
    return [...this.#parked.values()];
  }

  holds({ sequence }: Resident): boolean {
    return this.#parked.has(sequence);
  }

  take(step: AdmissionStep): void {
    accountFor(step, this.ledger);
    this.#steps.push(step);
  }

  note(dropped: DroppedTokens): void {
    if (dropped.to > dropped.from) this.#dropped.push(dropped);
  }

  /** Lets an unused sequence hold the active one's first `length` cells. `null` when all ids hold something. */
  park(active: Resident, length: number): Resident | null {
    const sequence = this.ledger.unusedSequence;
    if (sequence === null) return null;
    this.take({ kind: "copy", source: activeSequence, target: sequence });
    if (length < active.tokens.length) this.take({ kind: "truncate", sequence, length });
    const resident: Resident = { ...active, sequence, tokens: active.tokens.slice(0, length) };
    this.#parked.set(sequence, resident);
    return resident;
  }

  /** Leaves in the active sequence exactly the beginning that the prompt goes on from. */
  putInPlace(prefix: ResidentPrefix | null): void {
    const { ledger } = this;
    const source = prefix?.resident.sequence ?? null;
    if (source !== activeSequence) {
      if (ledger.lengthOf(activeSequence) > 0) this.take({ kind: "release", sequence: activeSequence });
      if (source !== null) this.take({ kind: "copy", source, target: activeSequence });
    }
    const length = prefix?.length ?? 0;
    if (length < ledger.lengthOf(activeSequence)) {
      this.take({ kind: "truncate", sequence: activeSequence, length });
    }
  }

  release(parked: Resident): void {
    this.#parked.delete(parked.sequence);
    this.take({ kind: "release", sequence: parked.sequence });
  }
}
