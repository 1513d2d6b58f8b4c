import type { ResidentCache } from "../cache/resident-cache.ts";

export interface PrefillOptions {
  readonly chunkTokens: number;
  readonly signal: AbortSignal;
  readonly onProgress: (doneTokens: number, totalTokens: number) => void;
}

export interface Prefilled {
  /** Where the last token's logits are; `null` when it was stopped before it got there. */
  readonly logitIndex: number | null;
  readonly fromResident: number;
  readonly computed: number;
  readonly elapsedMs: number;
}

/**
 * Puts a prompt in place: keeps what is there already and computes the rest, chunk by chunk. When stopped between two
 * chunks, those done stay in place for the next time. `prompt` holds at least one token.
 */
export async function prefill(
  cache: ResidentCache,
  prompt: readonly number[],
  { chunkTokens, signal, onProgress }: PrefillOptions,
): Promise<Prefilled> {
  const start = performance.now();
  const fromResident = cache.keepPrefixOf(prompt);
  let logitIndex: number | null = null;
  onProgress(fromResident, prompt.length);
  while (cache.length < prompt.length && !signal.aborted) {
    const chunk = prompt.slice(cache.length, cache.length + chunkTokens);
    logitIndex = await cache.extend(chunk, cache.length + chunk.length === prompt.length);
    onProgress(cache.length, prompt.length);
  }
  return { logitIndex, fromResident, computed: cache.length - fromResident, elapsedMs: performance.now() - start };
}
