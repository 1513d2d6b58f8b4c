import { describe, expect, test, vi } from "vitest";
import { ActiveCells, type CellMemory } from "../../../../src-main/engine/kv/active-cells.ts";
import { stepWord, unknownStep } from "../../../../src-main/engine/kv/computed-steps.ts";

/** Cells that remember which token lies at which position; `fails` makes the next computation fail. */
class RecordingCells implements CellMemory {
  readonly cells: number[] = [];
  readonly firstPosition = 0;
  threads = 2;
  fails = false;

  computeChunk(position: number, tokens: readonly number[], wantsLogits: boolean): Promise<number | null> {
    if (this.fails) return Promise.reject(new Error("out of slots"));
    expect(position).toBe(this.cells.length);
    this.cells.push(...tokens);
    return Promise.resolve(wantsLogits ? tokens.length - 1 : null);
  }

  async computeToken(position: number, token: number): Promise<number> {
    return (await this.computeChunk(position, [token], true)) ?? 0;
  }

  truncate(): boolean {
    return true;
  }

  clear(): void {
    this.cells.length = 0;
  }
}

function activeCells() {
  const memory = new RecordingCells();
  const onFull = vi.fn(() => Infinity);
  const onFailure = vi.fn();
  const isAlone = vi.fn(() => true);
  return { memory, onFull, isAlone, onFailure, cells: new ActiveCells(memory, { onFull, isAlone, onFailure }) };
}

test("tokens are computed behind those in place", async () => {
  const { memory, cells } = activeCells();
  expect(await cells.extend([1, 2, 3], true)).toBe(2);
  expect(await cells.append(4)).toBe(0);
  expect(memory.cells).toEqual([1, 2, 3, 4]);
  expect(cells.tokens).toEqual([1, 2, 3, 4]);
});

describe("the step of each token", () => {
  test("tells its size, its place in it, and the threads", async () => {
    const { memory, cells } = activeCells();
    await cells.extend([1, 2, 3], false);
    memory.threads = 1;
    await cells.append(4);
    expect(cells.steps).toEqual([
      ...[0, 1, 2].map((index) => stepWord({ tokens: 3, index, threads: 2 })),
      stepWord({ tokens: 1, index: 0, threads: 1 }),
    ]);
  });

  test("stays with the token, and is unknown where nobody says it", async () => {
    const { cells } = activeCells();
    await cells.extend([1, 2, 3], false);
    const [first = NaN] = cells.steps;
    cells.replaceFrom(1, [5, 6], [7]);
    expect(cells.steps).toEqual([first, 7, unknownStep]);
    cells.replaceFrom(2, []);
    expect(cells.steps).toEqual([first, 7]);
  });

  test("is unknown beside other cells, and before anybody has set the threads", async () => {
    const { memory, cells, isAlone } = activeCells();
    isAlone.mockReturnValueOnce(false);
    await cells.append(1);
    memory.threads = 0;
    await cells.append(2);
    expect(cells.steps).toEqual([unknownStep, unknownStep]);
  });
});

describe("when all cells it may use are used", () => {
  test("room is asked for before the token that needs it", async () => {
    const { cells, onFull } = activeCells();
    cells.limit = 2;
    await cells.extend([1, 2], false);
    expect(onFull).not.toHaveBeenCalled();
    await cells.append(3);
    await cells.append(4);
    expect(onFull).toHaveBeenCalledOnce();
  });
});

describe("a computation that fails", () => {
  test("is told, since nobody knows what the cells hold", async () => {
    const { memory, cells, onFailure } = activeCells();
    await cells.extend([1, 2, 3], false);
    memory.fails = true;
    await expect(cells.append(4)).rejects.toThrow("out of slots");
    expect(onFailure).toHaveBeenCalledOnce();
    expect([cells.length, cells.steps.length]).toEqual([0, 0]);
  });
});
