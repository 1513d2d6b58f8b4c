/**
 * In which step each token was computed. Kernels round differently by how many tokens a step has, and one token's
 * attention by how many threads share it: only the same steps give the same cells again, bit by bit.
 *
 * A step is remembered with each of its tokens, as one word: so any stretch of tokens that is cut, copied, stored and
 * restored keeps what is known of it.
 */
import { crc32 } from "node:zlib";
import { tokenBytes } from "./block-key.ts";
import type { BlockDescription } from "./stored-block.ts";

/** How the computed token was rounded is not known. */
export const unknownStep = 0;

interface StepOfToken {
  /** All tokens of the step. */
  readonly tokens: number;
  /** Of this one among them. */
  readonly index: number;
  readonly threads: number;
}

const mostTokens = 0xfff;
const mostThreads = 0xff;

/** `unknownStep` where it cannot be said in a word, or nobody has said how many threads there are. */
export function stepWord({ tokens, index, threads }: StepOfToken): number {
  if (tokens > mostTokens || threads < 1 || threads > mostThreads) return unknownStep;
  return ((threads << 24) | (index << 12) | tokens) >>> 0;
}

function readWord(word: number): StepOfToken {
  return { tokens: word & mostTokens, index: (word >>> 12) & mostTokens, threads: word >>> 24 };
}

/** Stands for all steps before a block, so that a block can be told that was computed behind other cells than are stored. */
export function stepsHash(words: ArrayLike<number>): number {
  return crc32(tokenBytes(words));
}

type BlockSteps = Pick<BlockDescription, "from" | "tokens" | "steps" | "stepsBefore">;

/** Of the blocks of a chain, from its first on: the words of their tokens up to `to`. */
function wordsOf(blocks: readonly BlockSteps[], to: number): number[] {
  return blocks
    .flatMap(({ tokens, steps }) => Array.from(tokens, (_, index) => steps[index] ?? unknownStep))
    .slice(0, to);
}

/**
 * What is known of the cells once the tokens [from, to) were restored: blocks are put in place whole, so from `start` on
 * they are the store's. `to` before `from`: nothing was restored, and so many are left.
 */
export function restoredSteps(
  blocks: readonly BlockSteps[],
  from: number,
  to: number,
): { readonly start: number; readonly steps: readonly number[] } {
  if (to <= from) return { start: to, steps: [] };
  const start = blocks.find((block) => block.from + block.tokens.length > from)?.from ?? from;
  return { start, steps: wordsOf(blocks, to).slice(start) };
}

/** Of the tokens up to `to`, as far as they can be computed again: a block says behind which steps it was computed. */
export function replayableWords(blocks: readonly BlockSteps[], to: number): number[] {
  const words = wordsOf(blocks, to);
  const foreign = blocks.find(({ from, stepsBefore }) => from < to && stepsHash(words.slice(0, from)) !== stepsBefore);
  return words.fill(unknownStep, foreign?.from ?? words.length);
}

/** Tokens [from, to) that are computed in one step of `tokens`, of which those behind `to` are then taken back. */
export interface ReplayStep {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
  /** `null`: nothing is known of how they were computed, and `tokens` is a portion like any other. */
  readonly threads: number | null;
}

interface ReplayLimits {
  /** How many tokens a step may have. */
  readonly chunkTokens: number;
  /** How many fit all in all. */
  readonly contextTokens: number;
  /** Tokens can be taken back. */
  readonly canTruncate: boolean;
}

/** The steps that compute these tokens again as they were computed. */
export function replaySteps(words: readonly number[], limits: ReplayLimits): ReplayStep[] {
  const steps: ReplayStep[] = [];
  for (let from = 0; from < words.length;) {
    const step = knownStep(words, from, limits) ?? unknownStretch(words, from, limits);
    steps.push(step);
    from = step.to;
  }
  return steps;
}

function knownStep(words: readonly number[], from: number, limits: ReplayLimits): ReplayStep | null {
  const { tokens, index, threads } = readWord(words[from] ?? unknownStep);
  if (threads === 0 || index !== 0 || tokens === 0) return null;
  const end = Math.min(from + tokens, words.length);
  const other = words.slice(from, end).findIndex((word, at) => word !== stepWord({ tokens, index: at, threads }));
  const to = other < 0 ? end : from + other;
  const isPossible = tokens <= limits.chunkTokens && from + tokens <= limits.contextTokens;
  const isWhole = to === from + tokens;
  return isPossible && (isWhole || limits.canTruncate) ? { from, to, tokens, threads } : null;
}

/** Up to where a step begins that is known. */
function unknownStretch(words: readonly number[], from: number, limits: ReplayLimits): ReplayStep {
  const end = Math.min(from + limits.chunkTokens, words.length);
  let to = from + 1;
  while (to < end && knownStep(words, to, limits) === null) to += 1;
  return { from, to, tokens: to - from, threads: null };
}

/** Of how many first tokens it is known how they were computed: what comes behind others is rounded as they are. */
export function replayedTokens(steps: readonly ReplayStep[]): number {
  return (steps.find(({ threads }) => threads === null) ?? { from: steps.at(-1)?.to ?? 0 }).from;
}
