import type { ActiveCells } from "../kv/active-cells.ts";

export interface PrefillOptions {
  readonly chunkTokens: number;
  readonly signal: AbortSignal;
  /** Before each chunk. The end is not told: the answer's first text follows it, or the report. */
  readonly onProgress: (doneTokens: number, totalTokens: number) => void;
  /** Where a chunk ends beside the usual places, ascending, and what is done there. */
  readonly pauses?: { readonly points: readonly number[]; readonly onPause: () => Promise<void> };
  /** What each chunk took. */
  readonly onChunk: (from: number, to: number, elapsedMs: number) => void;
}

export interface Prefilled {
  /** Where the last token's logits are; `null` when it was stopped before it got there. */
  readonly logitIndex: number | null;
  readonly computed: number;
  readonly elapsedMs: number;
}

/**
 * Computes what is not in place of a prompt, chunk by chunk. When stopped between two chunks, those done stay in place
 * for the next time. At least one token of `prompt` is not in place.
 */
export async function prefill(
  cells: Pick<ActiveCells, "length" | "extend">,
  prompt: readonly number[],
  { chunkTokens, pauses, signal, onProgress, onChunk }: PrefillOptions,
): Promise<Prefilled> {
  const startMs = performance.now();
  const inPlace = cells.length;
  let logitIndex: number | null = null;
  while (cells.length < prompt.length && !signal.aborted) {
    onProgress(cells.length, prompt.length);
    const chunkStartMs = performance.now();
    const from = cells.length;
    const pause = pauses?.points.find((point) => point > from) ?? Infinity;
    const chunk = prompt.slice(from, Math.min(from + chunkTokens, pause));
    logitIndex = await cells.extend(chunk, from + chunk.length === prompt.length);
    onChunk(from, cells.length, performance.now() - chunkStartMs);
    if (cells.length === pause) await pauses?.onPause();
  }
  return { logitIndex, computed: cells.length - inPlace, elapsedMs: performance.now() - startMs };
}
