/** Where the tensors of a state file lie that is to be written, and what stands before each. */
import type { TensorRow } from "./row-layout.ts";
import { elementBytes, StateFileError } from "./state-format.ts";

/** A tensor's place in the file. */
export interface Section extends TensorRow {
  readonly header: Buffer;
  readonly at: number;
  readonly end: number;
}

/** `start`: where the first one's header begins. */
export function sections(
  rows: readonly TensorRow[],
  start: number,
  makeHeader: (row: TensorRow) => Buffer,
  tokenCount: number,
): Section[] {
  let end = start;
  return rows.map((row) => {
    const header = makeHeader(row);
    const at = end + header.length;
    end = at + row.rowBytes * tokenCount;
    return { ...row, header, at, end };
  });
}

export function rowHeader({ type, rowBytes }: TensorRow): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt32LE(type, 0);
  header.writeBigUInt64LE(BigInt(rowBytes), 4);
  return header;
}

/** Throws StateFileError for types whose values llama.cpp never keeps by column. */
export function columnHeader({ type, rowBytes }: TensorRow): Buffer {
  const size = elementBytes(type);
  if (size === null) throw new StateFileError("blocks", `values of type ${type} cannot be by column`);
  const header = Buffer.alloc(12);
  for (const [index, value] of [type, size, rowBytes / size].entries()) header.writeUInt32LE(value, index * 4);
  return header;
}
