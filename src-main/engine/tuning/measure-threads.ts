import type { ThreadTuning } from "../../contract/model.ts";
import type { CellMemory } from "../kv/active-cells.ts";
import { chooseThreads, median } from "./choose-threads.ts";

export interface TunableContext extends CellMemory {
  readonly chunkTokens: number;
  setThreads(threads: number): void;
}

export interface MeasureThreadsOptions {
  /** Ascending, at least one. */
  readonly candidates: readonly number[];
  /** Any text's tokens, at least one; repeated as needed. */
  readonly tokens: readonly number[];
  readonly signal: AbortSignal;
}

interface Samples {
  readonly threads: number;
  readonly prefillMs: number[];
  readonly decodeMs: number[];
  /** Of the processor time these threads could have had, the share they got, in each round. */
  readonly shares: number[];
}

const budgetMs = 1_500;
/** A round of decoding is short and its figure jumps from one to the next, so there are more of them. */
const decodeRounds = 12;
const prefillRounds = 3;
const longestPrefillTokens = 64;
const shortestPrefillTokens = 8;
const decodeTokens = 6;
const hopelessFactor = 8;
const freeShare = 0.85;

/**
 * Measures prefill and decode with each candidate and chooses threads for both. Candidates take turns, so that other
 * load on the machine hits all alike; a large model gets fewer tokens and rounds. Leaves the cells empty.
 */
export async function measureThreads(context: TunableContext, options: MeasureThreadsOptions): Promise<ThreadTuning> {
  const start = performance.now();
  const prompt = await warmedUpPrompt(context, options);
  let isQuiet = true;
  let samples = options.candidates.map((threads): Samples => ({ threads, prefillMs: [], decodeMs: [], shares: [] }));
  for (let round = 0; round < decodeRounds && (round === 0 || performance.now() - start < budgetMs); round += 1) {
    const work = { prompt, measuresPrefill: round < prefillRounds };
    for (const sample of samples) {
      options.signal.throwIfAborted();
      await measureOnce(context, work, sample, fastestDecodeMs(samples));
    }
    const complete = samples.filter(({ shares }) => shares.length === round + 1);
    isQuiet &&= complete.length === samples.length;
    // On a machine so busy that a later round drops them all, what the earlier ones measured still counts.
    if (complete.length === 0) break;
    samples = complete;
  }
  context.clear();
  isQuiet &&= samples.every(({ shares }) => median(shares) >= freeShare);
  const measured = samples.map(({ threads, prefillMs, decodeMs }) => ({
    threads,
    prefillTokensPerSecond: (prompt.length * 1_000) / median(prefillMs),
    decodeTokensPerSecond: 1_000 / median(decodeMs),
  }));
  return { ...chooseThreads(measured), ...(isQuiet ? {} : { underLoad: true as const }) };
}

/** The first computation also brings the weights into memory, so it is not counted; it shows how much fits the budget. */
async function warmedUpPrompt(
  context: TunableContext,
  { candidates, tokens }: MeasureThreadsOptions,
): Promise<readonly number[]> {
  const length = Math.min(longestPrefillTokens, context.chunkTokens);
  const prompt = Array.from({ length }, (_, index) => tokens[index % tokens.length] ?? 0);
  const short = prompt.slice(0, shortestPrefillTokens);
  context.setThreads(candidates[0] ?? 1);
  context.clear();
  await context.computeChunk(0, short, true);
  context.clear();
  const elapsedMs = await timed(() => context.computeChunk(0, short, true));
  const affordableMs = budgetMs / (candidates.length * prefillRounds * 2);
  const affordable = Math.floor((short.length * affordableMs) / elapsedMs);
  return prompt.slice(0, Math.max(short.length, affordable));
}

/**
 * One round of one candidate. Gives it up without a prefill where its tokens take many times the fastest candidate's:
 * threads that wait for a core they cannot get would use up the budget many times over.
 */
async function measureOnce(
  context: TunableContext,
  { prompt, measuresPrefill }: { readonly prompt: readonly number[]; readonly measuresPrefill: boolean },
  samples: Samples,
  fastestMs: number,
): Promise<void> {
  context.setThreads(samples.threads);
  context.clear();
  const start = performance.now();
  const before = process.cpuUsage();
  const decodeMs: number[] = [];
  for (let index = 0; index < decodeTokens; index += 1) {
    const token = prompt[index % prompt.length] ?? 0;
    decodeMs.push(await timed(() => context.computeToken(index, token)));
    if (decodeMs.slice(-2).length === 2 && Math.min(...decodeMs.slice(-2)) > hopelessFactor * fastestMs) return;
  }
  samples.decodeMs.push(...decodeMs);
  if (measuresPrefill) samples.prefillMs.push(await timed(() => context.computeChunk(decodeTokens, prompt, true)));
  const { user, system } = process.cpuUsage(before);
  samples.shares.push((user + system) / 1_000 / ((performance.now() - start) * samples.threads));
}

function fastestDecodeMs(samples: readonly Samples[]): number {
  const medians = samples.filter(({ decodeMs }) => decodeMs.length > 0).map(({ decodeMs }) => median(decodeMs));
  return Math.min(Infinity, ...medians);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
