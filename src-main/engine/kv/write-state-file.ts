/**
 * Puts blocks together as a state file that a context with one stream loads. Block after block, each tensor's rows at
 * their place in the file, so that no more than one block need be in memory; but where values are by column all blocks
 * are kept until the end, and turned layer by layer in a buffer that stays in the processor's cache.
 */
import { closeSync, constants, ftruncateSync, openSync, writeSync } from "node:fs";
import { bytesPerToken, type RowLayout, type TensorRow } from "./row-layout.ts";
import { elementBytes, StateFileError, stateMagic, stateVersion } from "./state-format.ts";
import { columnHeader, rowHeader, sections, type Section } from "./state-sections.ts";
import { rowsToColumns, words } from "./value-columns.ts";

export interface StateFileOptions {
  readonly layout: RowLayout;
  /** As the context keeps values: by column where flash attention is off. */
  readonly valuesByColumn: boolean;
  /** Position of the first token. */
  readonly from: number;
  readonly tokenCount: number;
}

/** Bytes before the cells: magic, version, no tokens, one stream, number of cells. */
const startBytes = 20;

/** A state file that is being written. It owns the descriptor, not the file; one that was not finished must not be loaded. */
export class StateFileWriter implements Disposable {
  readonly #file: number;
  readonly #options: StateFileOptions;
  readonly #cells: Buffer;
  readonly #keys: readonly Section[];
  readonly #values: readonly Section[];
  /** Whose values are still to be written by column. */
  readonly #kept: KeptBlock[] = [];
  #done = 0;

  /** Creates the file, or writes over the one that is there. Throws StateFileError for a layout that cannot be by column. */
  constructor(path: string, options: StateFileOptions) {
    const { layout, valuesByColumn, tokenCount } = options;
    this.#options = options;
    this.#cells = startOf(options);
    this.#keys = sections(layout.keys, this.#cells.length + 8, rowHeader, tokenCount);
    const valuesAt = this.#keys.at(-1)?.end ?? 0;
    const header = valuesByColumn ? columnHeader : rowHeader;
    this.#values = sections(layout.values, valuesAt, header, tokenCount);
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  /**
   * Adds the first `usedTokens` of a block's `blockTokens`. Throws StateFileError for a block of another size than its
   * layout gives, or more tokens than announced.
   */
  add(rows: Uint8Array, blockTokens: number, usedTokens = blockTokens): void {
    const { layout, tokenCount } = this.#options;
    if (rows.length !== blockTokens * bytesPerToken(layout)) {
      throw new StateFileError("blocks", `${rows.length} bytes are no ${blockTokens} tokens of this layout`);
    }
    if (usedTokens < 1 || usedTokens > blockTokens || this.#done + usedTokens > tokenCount) {
      throw new StateFileError("blocks", `${usedTokens} of ${blockTokens} tokens do not fit behind ${this.#done}`);
    }
    const block = { rows, blockTokens, usedTokens };
    let offset = this.#addExtensions(block);
    for (const section of this.#keys) offset = this.#addRows(section, block, offset);
    if (this.#options.valuesByColumn) this.#kept.push({ ...block, cell: this.#done, valuesAt: offset });
    else for (const section of this.#values) offset = this.#addRows(section, block, offset);
    this.#done += usedTokens;
  }

  /** Completes the file. Returns its size in bytes. Throws StateFileError where tokens are missing. */
  finish(): number {
    const { layout, tokenCount, valuesByColumn } = this.#options;
    if (this.#done !== tokenCount) {
      throw new StateFileError("blocks", `${this.#done} of ${tokenCount} tokens were added`);
    }
    const flags = Buffer.alloc(8);
    flags.writeUInt32LE(valuesByColumn ? 1 : 0, 0);
    flags.writeUInt32LE(layout.keys.length, 4);
    this.#write(this.#cells, 0);
    this.#write(flags, this.#cells.length);
    for (const { header, at } of this.#keys) this.#write(header, at - header.length);
    if (valuesByColumn) this.#writeColumns();
    else for (const { header, at } of this.#values) this.#write(header, at - header.length);
    const sizeBytes = [...this.#keys, ...this.#values].at(-1)?.end ?? 0;
    ftruncateSync(this.#file, sizeBytes);
    return sizeBytes;
  }

  #writeColumns(): void {
    const largest = Math.max(0, ...this.#values.map(({ header, at, end }) => header.length + end - at));
    const buffer = Buffer.allocUnsafeSlow(largest);
    let offset = 0;
    for (const { header, at, end, rowBytes, type } of this.#values) {
      const section = buffer.subarray(0, header.length + end - at);
      section.set(header);
      for (const block of this.#kept) this.#turn(block, { rowBytes, type }, offset, section.subarray(header.length));
      this.#write(section, at - header.length);
      offset += rowBytes;
    }
  }

  /** `offset`: bytes of the layers before, of one token. */
  #turn(
    { rows, blockTokens, usedTokens, cell, valuesAt }: KeptBlock,
    row: TensorRow,
    offset: number,
    to: Buffer,
  ): void {
    const from = valuesAt + blockTokens * offset;
    const wordsPerElement = elementBytes(row.type) === 4 ? 2 : 1;
    rowsToColumns(words(rows.subarray(from, from + usedTokens * row.rowBytes)), words(to), {
      columns: row.rowBytes / 2 / wordsPerElement,
      wordsPerElement,
      columnCells: this.#options.tokenCount,
      cell,
      row: 0,
      length: usedTokens,
    });
  }

  #addExtensions({ rows, blockTokens, usedTokens }: Block): number {
    const { extensionBytes } = this.#options.layout;
    if (extensionBytes === 0) return 0;
    const stride = cellBytes(extensionBytes);
    for (let token = 0; token < usedTokens; token += 1) {
      const extension = rows.subarray(token * extensionBytes, (token + 1) * extensionBytes);
      this.#cells.set(extension, startBytes + (this.#done + token) * stride + 8);
    }
    return blockTokens * extensionBytes;
  }

  #addRows({ at, rowBytes }: Section, { rows, blockTokens, usedTokens }: Block, offset: number): number {
    this.#write(rows.subarray(offset, offset + usedTokens * rowBytes), at + this.#done * rowBytes);
    return offset + blockTokens * rowBytes;
  }

  #write(bytes: Uint8Array, position: number): void {
    for (let written = 0; written < bytes.length;) {
      written += writeSync(this.#file, bytes, written, bytes.length - written, position + written);
    }
  }
}

interface Block {
  readonly rows: Uint8Array;
  readonly blockTokens: number;
  readonly usedTokens: number;
}

interface KeptBlock extends Block {
  /** Of its first token. */
  readonly cell: number;
  /** Where the values begin in its rows. */
  readonly valuesAt: number;
}

function startOf({ layout: { extensionBytes }, from, tokenCount }: StateFileOptions): Buffer {
  const stride = cellBytes(extensionBytes);
  const bytes = Buffer.alloc(startBytes + tokenCount * stride);
  for (const [index, value] of [stateMagic, stateVersion, 0, 1, tokenCount].entries()) {
    bytes.writeUInt32LE(value, index * 4);
  }
  for (let token = 0; token < tokenCount; token += 1) {
    bytes.writeInt32LE(from + token, startBytes + token * stride);
    bytes.writeUInt32LE(1, startBytes + token * stride + 4);
  }
  return bytes;
}

/** Position, number of sequence ids, extension, sequence id (which loading ignores). */
function cellBytes(extensionBytes: number): number {
  return 12 + extensionBytes;
}
