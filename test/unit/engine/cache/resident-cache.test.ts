import { describe, expect, test } from "vitest";
import { ResidentCache, type CellMemory } from "../../../../src-main/engine/cache/resident-cache.ts";

/** Cells that remember which token lies at which position; `fails` makes the next computation fail. */
class RecordingCells implements CellMemory {
  readonly cells: number[] = [];
  fails = false;
  canTruncate = true;

  get firstPosition() {
    return this.cells.length === 0 ? null : 0;
  }

  computeChunk(position: number, tokens: readonly number[], wantsLogits: boolean): Promise<number | null> {
    if (this.fails) return Promise.reject(new Error("out of slots"));
    expect(position).toBe(this.cells.length);
    this.cells.push(...tokens);
    return Promise.resolve(wantsLogits ? tokens.length - 1 : null);
  }

  async computeToken(position: number, token: number): Promise<number> {
    return (await this.computeChunk(position, [token], true)) ?? 0;
  }

  truncate(position: number): boolean {
    if (this.canTruncate) this.cells.length = position;
    return this.canTruncate;
  }

  clear(): void {
    this.cells.length = 0;
  }
}

async function filledCache(tokens: number[]) {
  const cells = new RecordingCells();
  const cache = new ResidentCache(cells, { kind: "anywhere" });
  await cache.extend(tokens, false);
  return { cells, cache };
}

test("a prompt that goes on finds all of it in place", async () => {
  const { cells, cache } = await filledCache([1, 2, 3]);
  expect(cache.keepPrefixOf([1, 2, 3, 4])).toBe(3);
  expect(cells.cells).toEqual([1, 2, 3]);
});

test("a prompt that differs frees the cells from there on", async () => {
  const { cells, cache } = await filledCache([1, 2, 3]);
  expect(cache.keepPrefixOf([1, 9, 3])).toBe(1);
  await cache.extend([9], false);
  await cache.append(3);
  expect(cells.cells).toEqual([1, 9, 3]);
  expect(cache.length).toBe(3);
});

test("a prompt with nothing in common frees all cells", async () => {
  const { cells, cache } = await filledCache([1, 2, 3]);
  expect(cache.keepPrefixOf([7, 8])).toBe(0);
  expect(cells.cells).toEqual([]);
});

test("cells that cannot be truncated are cleared", async () => {
  const { cells, cache } = await filledCache([1, 2, 3]);
  cells.canTruncate = false;
  expect(cache.keepPrefixOf([1, 2, 9, 9])).toBe(0);
  expect(cells.cells).toEqual([]);
});

describe("a computation that fails", () => {
  test("gives up all that was in place, since nobody knows what the cells hold", async () => {
    const { cells, cache } = await filledCache([1, 2, 3]);
    cells.fails = true;
    await expect(cache.append(4)).rejects.toThrow("out of slots");
    expect(cells.cells).toEqual([]);
    expect(cache.length).toBe(0);
  });

  test("leaves a cache that works again", async () => {
    const { cells, cache } = await filledCache([1, 2, 3]);
    cells.fails = true;
    await expect(cache.extend([4, 5], true)).rejects.toThrow("out of slots");
    cells.fails = false;
    expect(cache.keepPrefixOf([1, 2])).toBe(0);
    expect(await cache.extend([1, 2], true)).toBe(1);
  });
});
