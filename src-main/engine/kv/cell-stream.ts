/**
 * The one stream of cells. It owns which sequence holds which cells, and what they are of: the active conversation, and
 * what is parked under hidden ids. Only it moves cells; when that fails, nothing in the stream is believed any more.
 */
import type { ResumeRule } from "../cache/reusable-tokens.ts";
import { ActiveCells, type CellMemory } from "./active-cells.ts";
import { accountFor, type AdmissionStep } from "./admission-step.ts";
import { activeSequence, CellLedger, type CellCounts, type CellRun } from "./cell-ledger.ts";
import { disowned, nobody, type Holding } from "./holding.ts";
import type { Resident } from "./resident.ts";

/** What the stream needs of llama.cpp. */
export interface StreamContext extends CellMemory {
  readonly contextTokens: number;
  readonly sequences: {
    copy(target: number, source: number): Promise<void>;
    remove(sequence: number, from?: number | null, to?: number | null): boolean;
    positions(sequence: number): { readonly first: number; readonly last: number } | null;
  };
}

/** Used by whoever saves and loads, and empty otherwise. */
export const scratchSequence = 255;

type DroppedSequence = Pick<Resident, "sequence" | "role" | "tokens" | "keptTokens">;

interface Parked {
  readonly holding: Holding;
  readonly tokens: readonly number[];
  readonly steps: readonly number[];
}

export class CellStream {
  readonly cells: ActiveCells;
  readonly #context: StreamContext;
  readonly #rule: ResumeRule;
  readonly #parked = new Map<number, Parked>();
  readonly #dropped: DroppedSequence[] = [];
  #active: Holding = nobody;
  #hasGaps = false;
  #ledger: CellLedger;

  constructor(context: StreamContext, rule: ResumeRule) {
    this.#context = context;
    this.#rule = rule;
    this.#ledger = new CellLedger(context.contextTokens, scratchSequence);
    this.cells = new ActiveCells(context, {
      onFull: () => this.#makeRoom(),
      isAlone: () => this.#parked.size === 0 && !this.hasGaps && rule.kind !== "within-window",
      onFailure: () => {
        this.giveUp();
      },
    });
  }

  get active(): Holding {
    return this.#active;
  }

  set active(holding: Holding) {
    this.#active = holding;
  }

  /** In step with the cells, which decoding adds to without telling. */
  get ledger(): CellLedger {
    const counted = this.#ledger.lengthOf(activeSequence);
    const { length } = this.cells;
    if (length > counted) this.#ledger.append(activeSequence, length - counted);
    else if (length < counted) this.#ledger.truncate(activeSequence, length);
    return this.#ledger;
  }

  get counts(): CellCounts {
    return this.ledger.counts;
  }

  get runs(): readonly CellRun[] {
    return this.ledger.runs();
  }

  /** Cells were released among those of the active sequence: the next tokens would lie before earlier ones. */
  get hasGaps(): boolean {
    return this.#hasGaps && this.cells.length > 0;
  }

  /** The active sequence's cells lie in the order of its tokens again, or there are none any more. */
  repacked(isThere: boolean): void {
    this.#hasGaps = false;
    if (!isThere) this.giveUp();
  }

  holds(sequence: number): boolean {
    return sequence === activeSequence ? this.cells.length > 0 : this.#parked.has(sequence);
  }

  /** What is known of a sequence; of one that holds nothing, nothing. */
  holdingOf(sequence: number): Holding {
    return sequence === activeSequence ? this.#active : (this.#parked.get(sequence)?.holding ?? nobody);
  }

  /** The step of each token of a sequence: see computed-steps.ts. */
  stepsOf(sequence: number): readonly number[] {
    return sequence === activeSequence ? this.cells.steps : (this.#parked.get(sequence)?.steps ?? []);
  }

  /** `storedTokens`: how many of these the store has. */
  residents(storedTokens: (tokens: readonly number[]) => number): Resident[] {
    const active = { holding: this.#active, tokens: this.cells.tokens.slice() };
    const all = [...(active.tokens.length > 0 ? [[activeSequence, active] as const] : []), ...this.#parked];
    return all.map(([sequence, { holding, tokens }]) => ({
      sequence,
      role: holding.role,
      conversationId: holding.conversationId,
      tokens,
      owners: holding.owners,
      keptTokens: holding.keptTokens,
      storedTokens: storedTokens(tokens),
      firstPosition: this.#firstPosition(sequence),
      use: holding.use,
      isPinned: false,
    }));
  }

  /** What made room for an answer while it was written, since this was asked the last time. */
  takeDropped(): readonly DroppedSequence[] {
    return this.#dropped.splice(0);
  }

  /** What this conversation computed first is from now on of those that hold it. */
  disown(conversationId: string): void {
    this.#active = disowned(this.#active, conversationId);
    for (const [sequence, parked] of this.#parked)
      this.#parked.set(sequence, { ...parked, holding: disowned(parked.holding, conversationId) });
  }

  /** Throws what llama.cpp throws; then the stream is empty. */
  async take(step: Exclude<AdmissionStep, { kind: "store" | "restore" | "compute" }>): Promise<void> {
    const { ledger } = this;
    try {
      await this.#move(step);
      accountFor(step, ledger);
    } catch (caught) {
      this.giveUp();
      throw caught;
    }
  }

  /** How many tokens the active sequence may have beside what is parked. */
  bound(): void {
    this.cells.limit = this.#ledger.total - this.counts.parked;
  }

  /** Nothing is believed of any cell. */
  giveUp(): void {
    for (const sequence of this.#parked.keys()) this.#context.sequences.remove(sequence);
    // A model that holds one state knows no other ids.
    if (this.#rule.kind !== "only-at-end") this.#context.sequences.remove(scratchSequence);
    this.#context.clear();
    this.#parked.clear();
    this.cells.replaceFrom(0, []);
    this.#active = nobody;
    this.#hasGaps = false;
    this.#ledger = new CellLedger(this.#context.contextTokens, scratchSequence);
  }

  async #move(step: Exclude<AdmissionStep, { kind: "store" | "restore" | "compute" }>): Promise<void> {
    switch (step.kind) {
      case "copy":
        await this.#context.sequences.copy(step.target, step.source);
        this.#copied(step.source, step.target);
        return;
      case "truncate":
        if (!this.#context.sequences.remove(step.sequence, step.length)) throw new Error("cells cannot be truncated");
        this.#truncated(step.sequence, step.length);
        return;
      case "release":
        this.#noteGap(step.sequence);
        if (step.sequence === activeSequence) this.#context.clear();
        else this.#context.sequences.remove(step.sequence);
        this.#released(step.sequence);
        return;
    }
  }

  /** What the active sequence goes on from lies before what only the other holds: then that is no gap. */
  #noteGap(sequence: number): void {
    if (sequence === activeSequence) {
      this.#hasGaps &&= this.#parked.size > 0;
      return;
    }
    const cellsOf = (isMeant: (holders: readonly number[]) => boolean): number =>
      this.runs.reduce((sum, { cells, sequences }) => sum + (isMeant(sequences) ? cells : 0), 0);
    const own = cellsOf((holders) => holders.length === 1 && holders[0] === sequence);
    const shared = cellsOf((holders) => holders.includes(sequence) && holders.includes(activeSequence));
    if (own > 0 && shared < this.cells.length) this.#hasGaps = true;
  }

  #copied(source: number, target: number): void {
    if (source === activeSequence) {
      const { tokens, steps } = this.cells;
      this.#parked.set(target, { holding: this.#active, tokens: tokens.slice(), steps: steps.slice() });
      return;
    }
    const parked = this.#parked.get(source);
    if (parked === undefined) throw new Error(`sequence ${source} holds nothing`);
    this.#active = parked.holding;
    this.cells.replaceFrom(0, parked.tokens, parked.steps);
  }

  #truncated(sequence: number, length: number): void {
    const cut = (holding: Holding): Holding => ({ ...holding, keptTokens: Math.min(holding.keptTokens, length) });
    if (sequence === activeSequence) {
      this.cells.replaceFrom(length, []);
      this.#active = cut(this.#active);
      return;
    }
    const parked = this.#parked.get(sequence);
    if (parked !== undefined) {
      const [tokens, steps] = [parked.tokens.slice(0, length), parked.steps.slice(0, length)];
      this.#parked.set(sequence, { holding: cut(parked.holding), tokens, steps });
    }
  }

  #released(sequence: number): void {
    if (sequence !== activeSequence) {
      this.#parked.delete(sequence);
      return;
    }
    this.cells.replaceFrom(0, []);
    this.#active = nobody;
  }

  /** Where every layer keeps every token there is nothing to ask. */
  #firstPosition(sequence: number): number | null {
    if (this.#rule.kind === "anywhere") return 0;
    if (sequence === activeSequence) return this.#context.firstPosition;
    return this.#context.sequences.positions(sequence)?.first ?? null;
  }

  /** The answer being written goes before anything that is parked, the least recently used of it first. */
  #makeRoom(): number {
    const [oldest] = [...this.#parked].sort(([, a], [, b]) => a.holding.use.atMs - b.holding.use.atMs);
    if (oldest === undefined) return Infinity;
    const [sequence, parked] = oldest;
    const { role, keptTokens } = parked.holding;
    this.#dropped.push({ sequence, role, keptTokens, tokens: parked.tokens });
    this.#context.sequences.remove(sequence);
    this.ledger.release(sequence);
    this.#parked.delete(sequence);
    return this.#ledger.total - this.counts.parked;
  }
}
