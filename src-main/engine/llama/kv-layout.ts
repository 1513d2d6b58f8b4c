/**
 * How llama.cpp laid out the memory of a context, read from what it says while it makes one. Which layers have a sliding
 * window is decided in its source, architecture by architecture: no formula over a file's metadata knows it.
 */

interface CellBlock {
  readonly cells: number;
  readonly bytes: number;
}

export interface KvLayout {
  /** Layers that see the whole context; `null` where there are none. */
  readonly full: CellBlock | null;
  /** Layers that see only a window, and keep little more than that. */
  readonly sliding: CellBlock | null;
  /** State of recurrent layers; the same for any length. */
  readonly recurrentBytes: number;
}

/** Of one token in all layers of a block; 0 where there are none. */
export function rowBytesOf(block: CellBlock | null): number {
  return block === null ? 0 : block.bytes / block.cells;
}

/** Of one token, for as long as every layer keeps it. */
export function bytesPerToken({ full, sliding }: KvLayout): number {
  return rowBytesOf(full) + rowBytesOf(sliding);
}

/** Cells and states together. */
export function cacheBytesOf({ full, sliding, recurrentBytes }: KvLayout): number {
  return (full?.bytes ?? 0) + (sliding?.bytes ?? 0) + recurrentBytes;
}

const mebibyte = 1 << 20;
/** Sizes are reported with two decimals. */
const roundingMebibytes = 0.005_1;
const blockForm = /llama_kv_cache: size =\s*([\d.]+) MiB \(\s*(\d+) cells,\s*(\d+) layers/;
const slidingForm = /creating\s+SWA KV cache/;
const recurrentForm = /RS buffer size =\s*([\d.]+) MiB/;

/**
 * `lines`: the log from the making of the context on. `rowBytes`: bytes of a token's keys and values in each layer;
 * makes the rounded sizes of the log exact wherever both agree.
 */
export function kvLayout(lines: readonly string[], rowBytes: readonly number[] | null): KvLayout {
  const firstSliding = lines.findIndex((line) => slidingForm.test(line));
  const [before, after] = firstSliding < 0 ? [lines, []] : [lines.slice(0, firstSliding), lines.slice(firstSliding)];
  const recurrent = lines.map((line) => Number(recurrentForm.exec(line)?.[1] ?? 0));
  return {
    full: cellBlock(before, rowBytes),
    sliding: cellBlock(after, rowBytes),
    recurrentBytes: Math.round(recurrent.reduce((sum, size) => sum + size, 0) * mebibyte),
  };
}

function cellBlock(lines: readonly string[], rowBytes: readonly number[] | null): CellBlock | null {
  const [, mebibytes, cells, layers] = lines.map((line) => blockForm.exec(line)).find((match) => match !== null) ?? [];
  if (Number(cells ?? 0) === 0 || Number(layers ?? 0) === 0) return null;
  return { cells: Number(cells), bytes: blockBytes(Number(mebibytes), Number(cells), Number(layers), rowBytes ?? []) };
}

function blockBytes(mebibytes: number, cells: number, layers: number, rowBytes: readonly number[]): number {
  const withAttention = rowBytes.filter((bytes) => bytes > 0);
  const average = withAttention.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, withAttention.length);
  // Exact for all layers together, and for a part of them where all are alike.
  const exact = Math.round(average * layers * cells);
  return Math.abs(exact / mebibyte - mebibytes) <= roundingMebibytes ? exact : Math.round(mebibytes * mebibyte);
}
