import type { ThreadTuning } from "../../contract/model.ts";
import type { CellMemory } from "../kv/active-cells.ts";
import { chooseThreads, median } from "./choose-threads.ts";

export interface TunableContext extends CellMemory {
  readonly chunkTokens: number;
  readonly contextTokens: number;
  setThreads(threads: number): void;
}

export interface MeasureThreadsOptions {
  /** Ascending, at least one; the last is as many as there are cores. */
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

interface RoundOfWork {
  readonly prompt: readonly number[];
  /** In place, and left there. */
  readonly depthTokens: number;
  readonly measuresPrefill: boolean;
}

const budgetMs = 1_500;
/** Conversations have more than a few tokens, and the more there are, the more threads pay. */
const wantedDepthTokens = 512;
const depthBudgetMs = 1_000;
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
 * load on the machine hits all alike; all rounds but the first are behind as many tokens as a conversation may have. A
 * large model gets fewer tokens and rounds. Leaves the cells empty.
 */
export async function measureThreads(context: TunableContext, options: MeasureThreadsOptions): Promise<ThreadTuning> {
  let endMs = performance.now() + budgetMs;
  let depthTokens = 0;
  const prompt = await warmedUpPrompt(context, options);
  let isQuiet = true;
  let samples = options.candidates.map((threads): Samples => ({ threads, prefillMs: [], decodeMs: [], shares: [] }));
  for (let round = 0; round < decodeRounds && (round === 0 || performance.now() < endMs); round += 1) {
    const work = { prompt, depthTokens, measuresPrefill: round < prefillRounds };
    for (const sample of samples) {
      options.signal.throwIfAborted();
      await measureOnce(context, work, sample, fastestDecodeMs(samples));
    }
    const complete = samples.filter(({ shares }) => shares.length === round + 1);
    isQuiet &&= complete.length === samples.length;
    // On a machine so busy that a later round drops them all, what the earlier ones measured still counts.
    if (complete.length === 0) break;
    samples = complete;
    if (round > 0) continue;
    const startMs = performance.now();
    depthTokens = await deepen(context, prompt, samples, options.signal);
    endMs += performance.now() - startMs;
  }
  context.clear();
  isQuiet &&= samples.every(({ shares }) => median(shares) >= freeShare);
  const measured = samples.map(({ threads, prefillMs, decodeMs }) => ({
    threads,
    prefillTokensPerSecond: (prompt.length * 1_000) / median(prefillMs),
    decodeTokensPerSecond: 1_000 / median(decodeMs),
  }));
  return {
    ...chooseThreads(measured, options.candidates.at(-1) ?? 1),
    ...(isQuiet ? {} : { underLoad: true as const }),
  };
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
 * Puts tokens in place with the threads that do it fastest, as many as there is time and room for. Returns how many;
 * none where the cells cannot be taken back to them.
 */
async function deepen(
  context: TunableContext,
  prompt: readonly number[],
  samples: readonly Samples[],
  signal: AbortSignal,
): Promise<number> {
  const [{ threads, promptMs }] = samples
    .map(({ threads, prefillMs }) => ({ threads, promptMs: median(prefillMs) }))
    .toSorted((a, b) => a.promptMs - b.promptMs) as [{ threads: number; promptMs: number }];
  const room = Math.min(wantedDepthTokens, context.contextTokens - prompt.length - decodeTokens);
  const times = Math.min(Math.floor(room / prompt.length), Math.floor(depthBudgetMs / promptMs));
  context.clear();
  context.setThreads(threads);
  for (let done = 0; done < times; done += 1) {
    signal.throwIfAborted();
    await context.computeChunk(done * prompt.length, prompt, false);
  }
  const depthTokens = Math.max(0, times * prompt.length - 1);
  return context.truncate(depthTokens) ? depthTokens : 0;
}

/**
 * One round of one candidate. Gives it up without a prefill where its tokens take many times the fastest candidate's:
 * threads that wait for a core they cannot get would use up the budget many times over.
 */
async function measureOnce(
  context: TunableContext,
  { prompt, depthTokens, measuresPrefill }: RoundOfWork,
  samples: Samples,
  fastestMs: number,
): Promise<void> {
  context.setThreads(samples.threads);
  if (depthTokens === 0) context.clear();
  else context.truncate(depthTokens);
  const start = performance.now();
  const before = process.cpuUsage();
  const decodeMs: number[] = [];
  for (let index = 0; index < decodeTokens; index += 1) {
    const token = prompt[index % prompt.length] ?? 0;
    decodeMs.push(await timed(() => context.computeToken(depthTokens + index, token)));
    if (decodeMs.slice(-2).length === 2 && Math.min(...decodeMs.slice(-2)) > hopelessFactor * fastestMs) return;
  }
  samples.decodeMs.push(...decodeMs);
  if (measuresPrefill)
    samples.prefillMs.push(await timed(() => context.computeChunk(depthTokens + decodeTokens, prompt, true)));
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
