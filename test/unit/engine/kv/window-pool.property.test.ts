import fc from "fast-check";
import { expect, test } from "vitest";
import { isWindowRoom } from "../../../../src-main/engine/kv/window-pool.ts";

interface PoolCell {
  readonly position: number;
  readonly sequences: Set<number>;
}

/** The layers of a window as llama.cpp fills them: a cell is taken again when its only sequence can no longer see it. */
class WindowCells {
  readonly cells: PoolCell[] = [];
  readonly #size: number;
  readonly #windowTokens: number;

  constructor(size: number, windowTokens: number) {
    this.#size = size;
    this.#windowTokens = windowTokens;
  }

  /** The positions a sequence still has. */
  positions(sequence: number): number[] {
    return this.cells.filter(({ sequences }) => sequences.has(sequence)).map(({ position }) => position);
  }

  compute(sequence: number, from: number, count: number): boolean {
    const isSeen = ({ position, sequences }: PoolCell): boolean => {
      const [only] = sequences;
      if (sequences.size !== 1 || only === undefined) return true;
      return Math.max(...this.positions(only)) + 1 - position < this.#windowTokens;
    };
    const reusable = this.cells.filter((cell) => !isSeen(cell));
    const free = this.#size - this.cells.length;
    if (free + reusable.length < count) return false;
    for (const cell of reusable.slice(0, Math.max(0, count - free))) this.cells.splice(this.cells.indexOf(cell), 1);
    for (let index = 0; index < count; index += 1) {
      this.cells.push({ position: from + index, sequences: new Set([sequence]) });
    }
    return true;
  }

  copy(source: number, target: number): void {
    for (const { sequences } of this.cells) if (sequences.has(source)) sequences.add(target);
  }

  clear(sequence: number): void {
    for (const { sequences } of this.cells) sequences.delete(sequence);
    this.cells.splice(0, this.cells.length, ...this.cells.filter(({ sequences }) => sequences.size > 0));
  }
}

/** In chunks for a while, then token by token. */
function fill(pool: WindowCells, sequence: number, total: number, chunkTokens: number): boolean {
  let position = 0;
  while (position < total) {
    const count = Math.min(chunkTokens, position < total / 2 ? chunkTokens : 1, total - position);
    if (!pool.compute(sequence, position, count)) return false;
    position += count;
  }
  return true;
}

test("where there is room beside a parked chat, no computation fails, and the chat keeps its window", () => {
  const sizes = fc.record({
    windowTokens: fc.integer({ min: 1, max: 8 }),
    chunkTokens: fc.integer({ min: 1, max: 6 }),
    extraCells: fc.nat({ max: 20 }),
    chatTokens: fc.integer({ min: 1, max: 30 }),
    sideTokens: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(sizes, ({ windowTokens, chunkTokens, extraCells, chatTokens, sideTokens }) => {
      const cells = windowTokens + chunkTokens + extraCells;
      const pool = new WindowCells(cells, windowTokens);
      expect(fill(pool, 0, chatTokens, chunkTokens)).toBe(true);
      pool.copy(0, 1);
      pool.clear(0);
      const need = { sequenceTokens: sideTokens, parkedTokens: [chatTokens] };
      if (!isWindowRoom({ kind: "within-window", windowTokens }, { cells, chunkTokens }, need)) return;
      expect(fill(pool, 0, sideTokens, chunkTokens)).toBe(true);
      const seen = Array.from({ length: Math.min(windowTokens - 1, chatTokens) }, (_, back) => chatTokens - 1 - back);
      expect(pool.positions(1)).toEqual(expect.arrayContaining(seen));
    }),
    { numRuns: 1_000 },
  );
});

test("without a parked sequence, or without a window, there is always room", () => {
  const window = { kind: "within-window", windowTokens: 8 } as const;
  expect(isWindowRoom(window, null, { sequenceTokens: 100, parkedTokens: [] })).toBe(true);
  expect(isWindowRoom({ kind: "anywhere" }, null, { sequenceTokens: 100, parkedTokens: [50] })).toBe(true);
});

test("where the size of the window's layers is not known, there is none", () => {
  const window = { kind: "within-window", windowTokens: 8 } as const;
  expect(isWindowRoom(window, null, { sequenceTokens: 1, parkedTokens: [1] })).toBe(false);
});
