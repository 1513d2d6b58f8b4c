/**
 * Values by column, as a context without flash attention keeps them, and by row. Elements are one or two 16-bit words.
 * In tiles, so that the lines of memory that are read across stay in the processor's cache.
 */

const tileCells = 32;

/** A run of cells in a table of columns (each `columnCells` long) and in a table of rows. */
export interface CellRun {
  readonly columns: number;
  readonly wordsPerElement: 1 | 2;
  readonly columnCells: number;
  /** First cell in the columns and first row. */
  readonly cell: number;
  readonly row: number;
  readonly length: number;
}

/** Bytes as 16-bit words; they must begin at an even offset. */
export function words(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
}

export function columnsToRows(from: Uint16Array, to: Uint16Array, run: CellRun): void {
  if (run.wordsPerElement === 1) {
    for (let start = 0; start < run.length; start += tileCells) columnTileToRows(from, to, run, start);
  } else copyWords(run, (column, row) => (to[row] = from[column] ?? 0));
}

export function rowsToColumns(from: Uint16Array, to: Uint16Array, run: CellRun): void {
  if (run.wordsPerElement === 1) {
    for (let start = 0; start < run.length; start += tileCells) rowTileToColumns(from, to, run, start);
  } else copyWords(run, (column, row) => (to[column] = from[row] ?? 0));
}

function columnTileToRows(from: Uint16Array, to: Uint16Array, run: CellRun, start: number): void {
  const { columns, columnCells, cell, row } = run;
  const end = Math.min(run.length, start + tileCells);
  for (let column = 0; column < columns; column += 1) {
    const source = column * columnCells + cell;
    const target = row * columns + column;
    for (let index = start; index < end; index += 1) to[target + index * columns] = from[source + index] ?? 0;
  }
}

function rowTileToColumns(from: Uint16Array, to: Uint16Array, run: CellRun, start: number): void {
  const { columns, columnCells, cell, row } = run;
  const end = Math.min(run.length, start + tileCells);
  for (let column = 0; column < columns; column += 1) {
    const target = column * columnCells + cell;
    const source = row * columns + column;
    for (let index = start; index < end; index += 1) to[target + index] = from[source + index * columns] ?? 0;
  }
}

/** For elements of 32 bits, which no model's cache has by default. */
function copyWords(run: CellRun, copy: (column: number, row: number) => void): void {
  const { columns, columnCells, cell, row, length, wordsPerElement } = run;
  for (let index = 0; index < length; index += 1) {
    for (let column = 0; column < columns; column += 1) {
      const inColumn = (column * columnCells + cell + index) * wordsPerElement;
      const inRow = ((row + index) * columns + column) * wordsPerElement;
      for (let word = 0; word < wordsPerElement; word += 1) copy(inColumn + word, inRow + word);
    }
  }
}
