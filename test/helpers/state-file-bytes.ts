/**
 * State files as llama.cpp writes them, from what they should hold: written independently of what reads them. Every byte
 * of a row is told apart by tensor, position and place in the row.
 */
import type { RowLayout } from "../../src-main/engine/kv/row-layout.ts";

export interface StateFileContent {
  readonly layout: RowLayout;
  readonly valuesByColumn: boolean;
  /** Positions in the order of cells. */
  readonly positions: readonly number[];
  /** 0: saved from a hidden sequence id. */
  readonly sequenceIds?: 0 | 1;
}

export const smallLayout: RowLayout = {
  extensionBytes: 0,
  keys: [
    { type: 1, rowBytes: 8 },
    { type: 8, rowBytes: 34 },
  ],
  values: [
    { type: 1, rowBytes: 12 },
    { type: 0, rowBytes: 8 },
  ],
};

export function stateFileBytes({ layout, valuesByColumn, positions, sequenceIds = 1 }: StateFileContent): Buffer {
  const tensorOffset = layout.extensionBytes === 0 ? 0 : 1;
  const cells = positions.map((position) =>
    Buffer.concat([
      u32(position, sequenceIds),
      layout.extensionBytes === 0 ? Buffer.alloc(0) : row(0, position, layout.extensionBytes),
      u32(...(sequenceIds === 1 ? [0] : [])),
    ]),
  );
  const keys = layout.keys.map(({ type, rowBytes }, layer) =>
    Buffer.concat([
      u32(type, rowBytes, 0),
      ...positions.map((position) => row(tensorOffset + layer, position, rowBytes)),
    ]),
  );
  const values = layout.values.map(({ type, rowBytes }, layer) => {
    const tensor = tensorOffset + layout.keys.length + layer;
    const rows = positions.map((position) => row(tensor, position, rowBytes));
    if (!valuesByColumn) return Buffer.concat([u32(type, rowBytes, 0), ...rows]);
    const elementBytes = type === 0 ? 4 : 2;
    const columns = Array.from({ length: rowBytes / elementBytes }, (_, column) =>
      Buffer.concat(rows.map((bytes) => bytes.subarray(column * elementBytes, (column + 1) * elementBytes))),
    );
    return Buffer.concat([u32(type, elementBytes, rowBytes / elementBytes), ...columns]);
  });
  const start = u32(0x67677371, 3, 0, 1, positions.length);
  return Buffer.concat([start, ...cells, u32(valuesByColumn ? 1 : 0, layout.keys.length), ...keys, ...values]);
}

/** The rows of the positions in [from, to) as a block holds them. */
export function blockRows({ extensionBytes, keys, values }: RowLayout, from: number, to: number): Buffer {
  const sizes = [...(extensionBytes === 0 ? [] : [extensionBytes]), ...[...keys, ...values].map((key) => key.rowBytes)];
  const positions = range(from, to);
  return Buffer.concat(sizes.flatMap((size, tensor) => positions.map((position) => row(tensor, position, size))));
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function row(tensor: number, position: number, length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (tensor * 89 + position * 31 + index * 7) % 251));
}

function u32(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}
