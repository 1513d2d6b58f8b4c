/**
 * Cuts a saved state into blocks by token. The file is not trusted: every count is held against the file's length before
 * anything is allocated for it, and all of the file must be accounted for.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { bytesPerToken, rowSizes, type RowLayout, type TensorRow } from "./row-layout.ts";
import { elementBytes, StateFileError } from "./state-format.ts";
import { parseState, type ParsedState, type PositionRun, type StateTensor } from "./parse-state.ts";
import { columnsToRows, words } from "./value-columns.ts";

/** An open state file of one sequence. It owns the file's descriptor, not the file. */
export class StateFile implements Disposable {
  readonly layout: RowLayout;
  /** Whether the context keeps values by column: flash attention is off. */
  readonly valuesByColumn: boolean;
  /** The positions in it: all of [from, to). */
  readonly from: number;
  readonly to: number;
  readonly #file: number;
  readonly #state: ParsedState;

  /** Throws StateFileError, or the system's error. */
  constructor(path: string) {
    this.#file = openSync(path, "r");
    try {
      const sizeBytes = fstatSync(this.#file).size;
      this.#state = parseState({ sizeBytes, read: (from, length) => this.#read(from, Buffer.allocUnsafe(length)) });
    } catch (caught) {
      closeSync(this.#file);
      throw caught;
    }
    const { extensionBytes, keys, values, valuesByColumn, from, cellCount } = this.#state;
    this.layout = { extensionBytes, keys: keys.map(rowOf), values: values.map(rowOf) };
    this.valuesByColumn = valuesByColumn;
    this.from = from;
    this.to = from + cellCount;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  /** Rows of the tokens in [from, to), tensor by tensor (see RowLayout). Throws StateFileError. */
  cut(ranges: readonly { readonly from: number; readonly to: number }[]): Buffer[] {
    const cuts = ranges.map(({ from, to }) => {
      if (from < this.from || to > this.to || from >= to) {
        throw new StateFileError("positions", `[${from}, ${to}) is not within [${this.from}, ${this.to})`);
      }
      const rows = Buffer.allocUnsafeSlow((to - from) * bytesPerToken(this.layout));
      return { from, to, rows, parts: overlaps(this.#state.runs, from, to) };
    });
    for (const cut of cuts) this.#cutRows(cut);
    if (this.valuesByColumn) this.#cutColumns(cuts);
    return cuts.map(({ rows }) => rows);
  }

  #cutRows(cut: Cut): void {
    const { extensions, keys, values } = this.#state;
    const tensors = this.valuesByColumn ? keys : [...keys, ...values];
    if (extensions !== null) copyExtensions(extensions, this.from, cut);
    let target = extensions === null ? 0 : (cut.to - cut.from) * 12;
    for (const { at, rowBytes } of tensors) {
      for (const part of cut.parts) {
        const rows = cut.rows.subarray(target + part.row * rowBytes, target + (part.row + part.length) * rowBytes);
        this.#read(at + part.cell * rowBytes, rows);
      }
      target += (cut.to - cut.from) * rowBytes;
    }
  }

  /** A layer's columns are read once for all cuts: a block's part of one column is a few hundred bytes. */
  #cutColumns(cuts: readonly Cut[]): void {
    const { values, cellCount } = this.#state;
    const largest = Math.max(...values.map(({ rowBytes }) => rowBytes));
    const buffer = Buffer.allocUnsafeSlow(largest * cellCount);
    const before = rowSizes({ ...this.layout, values: [] }).reduce((sum, bytes) => sum + bytes, 0);
    let offset = before;
    for (const { at, rowBytes, type } of values) {
      const columns = this.#read(at, buffer.subarray(0, rowBytes * cellCount));
      const wordsPerElement = elementBytes(type) === 4 ? 2 : 1;
      const shape = { columns: rowBytes / 2 / wordsPerElement, wordsPerElement, columnCells: cellCount } as const;
      for (const cut of cuts) {
        const section = cut.rows.subarray((cut.to - cut.from) * offset, (cut.to - cut.from) * (offset + rowBytes));
        for (const part of cut.parts) columnsToRows(words(columns), words(section), { ...shape, ...part });
      }
      offset += rowBytes;
    }
  }

  #read(from: number, buffer: Buffer): Buffer {
    for (let filled = 0; filled < buffer.length;) {
      const received = readSync(this.#file, buffer, filled, buffer.length - filled, from + filled);
      if (received === 0) throw new StateFileError("malformed", "the file became shorter while it was read");
      filled += received;
    }
    return buffer;
  }
}

interface Cut {
  readonly from: number;
  readonly to: number;
  readonly rows: Buffer;
  readonly parts: readonly Part[];
}

/** A run of cells that goes into a run of rows. */
interface Part {
  readonly cell: number;
  readonly row: number;
  readonly length: number;
}

/** Cells lie in the order in which they were free, not in that of their positions. */
function overlaps(runs: readonly PositionRun[], from: number, to: number): Part[] {
  return runs.flatMap(({ cell, position, length }) => {
    const start = Math.max(from, position);
    const end = Math.min(to, position + length);
    return start < end ? [{ cell: cell + start - position, row: start - from, length: end - start }] : [];
  });
}

/** Extensions are kept in the order of positions. */
function copyExtensions(extensions: Buffer, first: number, { from, to, rows }: Cut): void {
  extensions.copy(rows, 0, (from - first) * 12, (to - first) * 12);
}

function rowOf({ type, rowBytes }: StateTensor): TensorRow {
  return { type, rowBytes };
}
