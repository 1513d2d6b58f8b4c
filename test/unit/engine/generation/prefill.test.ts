import { expect, test } from "vitest";
import { prefill } from "../../../../src-main/engine/generation/prefill.ts";

/** Cells that hold `length` tokens and take down what is added to them. */
function cellsOf(length: number) {
  const chunks: { readonly from: number; readonly to: number; readonly wantsLogits: boolean }[] = [];
  const cells = {
    length,
    extend: (tokens: readonly number[], wantsLogits: boolean): Promise<number | null> => {
      const from = cells.length;
      cells.length += tokens.length;
      chunks.push({ from, to: cells.length, wantsLogits });
      return Promise.resolve(wantsLogits ? tokens.length - 1 : null);
    },
  };
  return { cells, chunks };
}

const prompt = Array.from({ length: 600 }, (_, index) => index);
const quiet = {
  chunkTokens: 256,
  signal: new AbortController().signal,
  onProgress: () => undefined,
  onChunk: () => undefined,
};

test("chunks, of which the last gives the logits", async () => {
  const { cells, chunks } = cellsOf(40);
  expect(await prefill(cells, prompt, quiet)).toMatchObject({ logitIndex: 47, computed: 560 });
  expect(chunks).toEqual([
    { from: 40, to: 296, wantsLogits: false },
    { from: 296, to: 552, wantsLogits: false },
    { from: 552, to: 600, wantsLogits: true },
  ]);
});

test("a chunk ends where there is a pause, and it is kept there", async () => {
  const { cells, chunks } = cellsOf(40);
  const kept: number[] = [];
  const onPause = () => {
    kept.push(cells.length);
    return Promise.resolve();
  };
  await prefill(cells, prompt, { ...quiet, pauses: { points: [40, 100, 599], onPause } });
  expect(kept).toEqual([100, 599]);
  expect(chunks.map(({ to }) => to)).toEqual([100, 356, 599, 600]);
});

test("how far it is is told before each chunk, and not once more at the end", async () => {
  const { cells, chunks } = cellsOf(40);
  const told: { readonly done: number; readonly total: number; readonly chunks: number }[] = [];
  const onProgress = (done: number, total: number) => told.push({ done, total, chunks: chunks.length });
  await prefill(cells, prompt, { ...quiet, onProgress });
  expect(told).toEqual([
    { done: 40, total: 600, chunks: 0 },
    { done: 296, total: 600, chunks: 1 },
    { done: 552, total: 600, chunks: 2 },
  ]);
});

test("stopped, what is done stays", async () => {
  const stop = new AbortController();
  const { cells } = cellsOf(0);
  const onChunk = () => {
    stop.abort();
  };
  const prefilled = await prefill(cells, prompt, { ...quiet, signal: stop.signal, onChunk });
  expect(prefilled).toMatchObject({ logitIndex: null, computed: 256 });
  expect(cells.length).toBe(256);
});
