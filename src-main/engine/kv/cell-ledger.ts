/**
 * Which sequence holds which cells of the one stream. It owns the count and nothing else: it never touches llama.cpp,
 * so whoever changes cells tells it.
 */
import { CellLedgerError, type CellFault } from "./cell-ledger-error.ts";
import { lengthOf, SegmentLists } from "./segment-lists.ts";

/** All in cells. active + parked + free = total; `shared` counts cells that are active or parked too. */
export interface CellCounts {
  readonly total: number;
  /** Held by sequence 0. */
  readonly active: number;
  /** Held, but not by sequence 0. */
  readonly parked: number;
  /** Held by two sequences or more. */
  readonly shared: number;
  /** Held by nobody. */
  readonly free: number;
}

/** Cells behind each other that the same sequences hold, as many as there are. */
export interface CellRun {
  /** The position of its first token, the same in each of its sequences. */
  readonly firstPosition: number;
  readonly cells: number;
  /** Ascending. */
  readonly sequences: readonly number[];
}

/** The one sequence that is computed. */
export const activeSequence = 0;

export class CellLedger {
  readonly total: number;
  readonly #sequenceCount: number;
  readonly #segments: SegmentLists;
  #used: number;

  /** `sequenceCount`: how many ids there are, the active one included. */
  constructor(total: number, sequenceCount = 256, segments = new SegmentLists()) {
    this.total = total;
    this.#sequenceCount = sequenceCount;
    this.#segments = segments;
    this.#used = lengthOf(segments.all());
  }

  get counts(): CellCounts {
    const active = this.lengthOf(activeSequence);
    const shared = lengthOf(this.#segments.all().filter(({ holders }) => holders.size > 1));
    return { total: this.total, active, parked: this.#used - active, shared, free: this.total - this.#used };
  }

  /** Ids that hold cells, ascending. */
  get sequences(): number[] {
    return this.#segments.sequences;
  }

  /** The lowest id above the active one that holds nothing; `null` when all do. */
  get unusedSequence(): number | null {
    for (let sequence = activeSequence + 1; sequence < this.#sequenceCount; sequence += 1) {
      if (!this.#segments.has(sequence)) return sequence;
    }
    return null;
  }

  lengthOf(sequence: number): number {
    return lengthOf(this.#segments.of(sequence));
  }

  canAppend(sequence: number, count: number): boolean {
    return this.#appendFault(sequence, count) === null;
  }

  /** New cells at the end of a sequence. Throws CellLedgerError. */
  append(sequence: number, count: number): void {
    refuse("append", this.#appendFault(sequence, count));
    if (count === 0) return;
    this.#segments.append(sequence, count);
    this.#used += count;
  }

  canShare(from: number, to: number, length = this.lengthOf(from)): boolean {
    return this.#shareFault(from, to, length) === null;
  }

  /** Lets `to`, which holds nothing, hold the first `length` cells of `from` too. Throws CellLedgerError. */
  share(from: number, to: number, length = this.lengthOf(from)): void {
    refuse("share", this.#shareFault(from, to, length));
    this.#segments.share(from, to, length);
  }

  canTruncate(sequence: number, length: number): boolean {
    return this.#truncateFault(sequence, length) === null;
  }

  /** Lets go of all cells from `length` on; those nobody else holds are free. Throws CellLedgerError. */
  truncate(sequence: number, length: number): void {
    refuse("truncate", this.#truncateFault(sequence, length));
    this.#used -= this.#segments.truncate(sequence, length);
  }

  /** Lets go of all cells of a sequence. It may hold none. Throws CellLedgerError. */
  release(sequence: number): void {
    this.truncate(sequence, 0);
  }

  /** For a map of the memory: by lowest sequence, then by position. No cell is in two runs; free cells are in none. */
  runs(): CellRun[] {
    return this.sequences.flatMap((sequence) => {
      let nextPosition = 0;
      return this.#segments.of(sequence).flatMap(({ cells, holders }) => {
        const firstPosition = nextPosition;
        nextPosition += cells;
        const sequences = [...holders].sort((a, b) => a - b);
        return sequences[0] === sequence ? [{ firstPosition, cells, sequences }] : [];
      });
    });
  }

  /** A ledger of its own in the same state: to try out what a plan would do. */
  clone(): CellLedger {
    return new CellLedger(this.total, this.#sequenceCount, this.#segments.clone());
  }

  #appendFault(sequence: number, count: number): CellFault | null {
    if (!this.#has(sequence)) return "no-such-sequence";
    if (!isCount(count)) return "invalid-count";
    return this.#used + count > this.total ? "no-room" : null;
  }

  #shareFault(from: number, to: number, length: number): CellFault | null {
    if (!this.#has(from) || !this.#has(to)) return "no-such-sequence";
    if (!isCount(length)) return "invalid-count";
    if (this.#segments.has(to)) return "occupied";
    return length > this.lengthOf(from) ? "too-short" : null;
  }

  #truncateFault(sequence: number, length: number): CellFault | null {
    if (!this.#has(sequence)) return "no-such-sequence";
    if (!isCount(length)) return "invalid-count";
    return length > this.lengthOf(sequence) ? "too-short" : null;
  }

  #has(sequence: number): boolean {
    return isCount(sequence) && sequence < this.#sequenceCount;
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function refuse(operation: string, fault: CellFault | null): void {
  if (fault !== null) throw new CellLedgerError(operation, fault);
}
