/** Reads what a state file says of itself: where the rows of which positions lie. Reads no rows. */
import { elementBytes, maximumLayers, StateFileError, stateMagic, stateVersion } from "./state-format.ts";

export interface StateBytes {
  readonly sizeBytes: number;
  readonly read: (from: number, length: number) => Buffer;
}

/** Consecutive positions in consecutive cells. */
export interface PositionRun {
  readonly cell: number;
  readonly position: number;
  readonly length: number;
}

export interface StateTensor {
  readonly type: number;
  readonly rowBytes: number;
  /** Where its rows or columns begin in the file. */
  readonly at: number;
}

export interface ParsedState {
  readonly cellCount: number;
  /** The first position. */
  readonly from: number;
  /** In the order of positions, without a gap. */
  readonly runs: readonly PositionRun[];
  readonly extensionBytes: 0 | 12;
  /** Of all cells, in the order of positions. */
  readonly extensions: Buffer | null;
  readonly valuesByColumn: boolean;
  readonly keys: readonly StateTensor[];
  readonly values: readonly StateTensor[];
}

/** Throws StateFileError. */
export function parseState(bytes: StateBytes): ParsedState {
  const { cellCount, at } = parseStart(bytes);
  // Whether cells carry an extension is known to the model alone. Only one answer accounts for the whole file.
  const attempts = ([0, 12] as const).map((extensionBytes) => attempt(bytes, at, cellCount, extensionBytes));
  const parsed = attempts.find((result) => !(result instanceof StateFileError)) ?? attempts[0];
  if (parsed === undefined || parsed instanceof StateFileError) throw parsed ?? malformed("nothing in it fits");
  return parsed;
}

function parseStart(bytes: StateBytes): { cellCount: number; at: number } {
  const cursor = new Cursor(bytes, 0);
  if (cursor.u32() !== stateMagic) throw malformed("it does not begin as a sequence's state");
  const version = cursor.u32();
  if (version !== stateVersion) throw malformed(`its version is ${version}`);
  cursor.skip(cursor.u32() * 4);
  const streams = cursor.u32();
  if (streams !== 1) throw new StateFileError("not-by-token", `it has ${streams} streams`);
  const cellCount = cursor.u32();
  if (cellCount === 0) throw new StateFileError("empty", "it holds no cells");
  return { cellCount, at: cursor.at };
}

function attempt(bytes: StateBytes, at: number, cells: number, extension: 0 | 12): ParsedState | StateFileError {
  try {
    return parseCells(bytes, at, cells, extension);
  } catch (caught) {
    if (caught instanceof StateFileError) return caught;
    throw caught;
  }
}

function parseCells(bytes: StateBytes, at: number, cellCount: number, extensionBytes: 0 | 12): ParsedState {
  const cursor = new Cursor(bytes, at);
  const { positions, extensions } = readCells(cursor, cellCount, extensionBytes);
  const runs = positionRuns(positions);
  const from = runs[0]?.position ?? 0;
  const flag = cursor.u32();
  if (flag > 1) throw malformed(`its values are laid out as ${flag}`);
  const layers = cursor.u32();
  if (layers === 0 || layers > maximumLayers) throw malformed(`it has ${layers} layers`);
  const keys = Array.from({ length: layers }, () => readRows(cursor, cellCount));
  // Models with compressed attention keep no values of their own.
  const valueLayers = cursor.remaining === 0 ? 0 : layers;
  const readValues = flag === 1 ? readColumns : readRows;
  const values = Array.from({ length: valueLayers }, () => readValues(cursor, cellCount));
  if (cursor.remaining > 0) throw new StateFileError("not-by-token", `${cursor.remaining} bytes are left over`);
  const sorted = extensions === null ? null : sortExtensions(extensions, runs);
  return { cellCount, from, runs, extensionBytes, extensions: sorted, valuesByColumn: flag === 1, keys, values };
}

/** A cell: position, number of sequence ids, extension, sequence id. Saved from a hidden id, it names no sequence. */
function readCells(cursor: Cursor, cellCount: number, extensionBytes: 0 | 12) {
  const sequenceIds = cursor.peek(8).readUInt32LE(4);
  if (sequenceIds > 1) throw malformed(`its cells belong to ${sequenceIds} sequences`);
  const stride = 8 + extensionBytes + 4 * sequenceIds;
  const cells = cursor.bytes(cellCount * stride);
  const positions = new Int32Array(cellCount);
  const extensions = extensionBytes === 0 ? null : Buffer.allocUnsafe(cellCount * extensionBytes);
  for (let cell = 0; cell < cellCount; cell += 1) {
    positions[cell] = cells.readInt32LE(cell * stride);
    if (cells.readUInt32LE(cell * stride + 4) !== sequenceIds) throw malformed("its cells are not alike");
    extensions?.set(cells.subarray(cell * stride + 8, cell * stride + 20), cell * extensionBytes);
  }
  return { positions, extensions };
}

function positionRuns(positions: Int32Array): PositionRun[] {
  const runs: { cell: number; position: number; length: number }[] = [];
  for (const [cell, position] of positions.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && position === last.position + last.length) last.length += 1;
    else runs.push({ cell, position, length: 1 });
  }
  runs.sort((a, b) => a.position - b.position);
  const broken = runs.find((run, index) => index > 0 && run.position !== endOf(runs[index - 1]));
  if ((runs[0]?.position ?? -1) < 0 || broken !== undefined) {
    throw new StateFileError("positions", "positions are missing, or are there twice");
  }
  return runs;
}

function endOf(run: PositionRun | undefined): number {
  return run === undefined ? -1 : run.position + run.length;
}

function sortExtensions(extensions: Buffer, runs: readonly PositionRun[]): Buffer {
  return Buffer.concat(runs.map(({ cell, length }) => extensions.subarray(cell * 12, (cell + length) * 12)));
}

function readRows(cursor: Cursor, cellCount: number): StateTensor {
  const type = cursor.u32();
  const rowBytes = cursor.u64();
  return tensor(cursor, { type, rowBytes }, cellCount);
}

function readColumns(cursor: Cursor, cellCount: number): StateTensor {
  const type = cursor.u32();
  const size = cursor.u32();
  if (size !== elementBytes(type)) throw malformed(`its elements of type ${type} have ${size} bytes`);
  return tensor(cursor, { type, rowBytes: size * cursor.u32() }, cellCount);
}

function tensor(cursor: Cursor, row: { type: number; rowBytes: number }, cellCount: number): StateTensor {
  if (row.rowBytes === 0 || row.rowBytes % 2 !== 0) throw malformed(`its rows have ${row.rowBytes} bytes`);
  const { at } = cursor;
  cursor.skip(row.rowBytes * cellCount);
  return { ...row, at };
}

function malformed(problem: string): StateFileError {
  return new StateFileError("malformed", problem);
}

/** Reads numbers one after another; going beyond the end is an error before anything is allocated. */
class Cursor {
  at: number;
  readonly #bytes: StateBytes;

  constructor(bytes: StateBytes, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  get remaining(): number {
    return this.#bytes.sizeBytes - this.at;
  }

  skip(length: number): void {
    if (length > this.remaining) throw malformed("it ends in the middle");
    this.at += length;
  }

  bytes(length: number): Buffer {
    const from = this.at;
    this.skip(length);
    return this.#bytes.read(from, length);
  }

  peek(length: number): Buffer {
    const { at } = this;
    const bytes = this.bytes(length);
    this.at = at;
    return bytes;
  }

  u32(): number {
    return this.bytes(4).readUInt32LE();
  }

  /** Beyond 2^53 it is not exact, and larger than any file. */
  u64(): number {
    return Number(this.bytes(8).readBigUInt64LE());
  }
}
