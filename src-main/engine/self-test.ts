/**
 * A conversation restored from the store, held against the same tokens computed afresh: in the very steps in which the
 * stored ones were computed, as far as they are known, so that rounding is no excuse.
 */
import type { SelfTestResult } from "../contract/cache.ts";
import { defaultSampling } from "../contract/conversation.ts";
import type { PromptMessage } from "../contract/engine-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import { fitPrompt } from "./fit-context.ts";
import { activeSequence } from "./kv/cell-ledger.ts";
import { replayableWords, replayedTokens, replaySteps, type ReplayStep } from "./kv/computed-steps.ts";
import type { ReuseCosts } from "./kv/reuse-costs.ts";
import type { ModelSession } from "./model-session.ts";
import { compareEndings, nothingStored, type Ending } from "./self-test-result.ts";

export interface SelfTestRequest {
  readonly conversationId: string;
  readonly messages: readonly PromptMessage[];
  /** Somebody waits for an answer: the test gives way. */
  readonly isWanted: () => boolean;
}

interface TestedPrompt extends SelfTestRequest {
  readonly prompt: readonly number[];
}

const greedy = { ...defaultSampling, temperature: 0, repeatPenalty: 1, repeatPenaltyTokens: 0 };
/** What is tested is restoring, also where computing would be cheaper. */
const freeRestore: ReuseCosts = {
  prefill: { msPerToken: 1, msPerTokenAndDepth: 0 },
  restore: { fixedMs: 0, msPerToken: 0 },
};

/**
 * Leaves what is stored of the conversation in place, however it ends, and the store as it is. Throws ENGINE_FAILED where
 * an answer came first, CONTEXT_FULL.
 */
export async function selfTest(session: ModelSession, request: SelfTestRequest): Promise<SelfTestResult> {
  const { cache } = session;
  while (await cache.saveStep()) giveWay(request);
  const prompt = session.prompts.build(request.messages).tokens;
  const match = cache.parts.tiers.match(prompt);
  if (match === null) return nothingStored;
  await fitPrompt(session, prompt.length);
  const tested = { ...request, prompt };
  try {
    const restoring = await timed(() => restore(session, tested));
    const tokens = restoring.result;
    if (tokens === 0) return nothingStored;
    const restored = await finish(session, tested);
    const steps = stepsOf(session, replayableWords(match.blocks, tokens));
    await clearCells(session);
    const computing = await timed(() => replay(session, tested, steps));
    return {
      tokens,
      replayedTokens: replayedTokens(steps),
      ...compareEndings(await finish(session, tested), restored, {
        isReplayed: replayedTokens(steps) === tokens,
        textOf: (token) => session.tokenizer.textOf([token]),
      }),
      restoreMs: restoring.elapsedMs,
      computeMs: computing.elapsedMs,
    };
  } finally {
    await restore(session, tested);
  }
}

/** Puts in place what is stored: nothing behind it is worth keeping. Returns how many tokens that is. */
async function restore(session: ModelSession, { conversationId, messages, prompt }: TestedPrompt): Promise<number> {
  const { cache } = session;
  await clearCells(session);
  const placement = await cache.place({
    kind: "turn",
    conversationId,
    prompt,
    boundaryTokens: session.prompts.system(messages),
    reserveTokens: 0,
    costs: freeRestore,
  });
  await cache.settle(placement);
  return cache.cells.length;
}

/** Other cells would have a part in how sums are rounded. All of them are with the store, as far as it takes them. */
async function clearCells({ cache }: ModelSession): Promise<void> {
  const { stream, tiers } = cache.parts;
  const isFailed = cache.saveFailure !== null;
  for (const resident of tiers.residents.toReversed()) {
    tiers.noteGone(resident, isFailed);
    await stream.take({ kind: "release", sequence: resident.sequence });
  }
}

function stepsOf({ cache, chunkTokens, contextTokens }: ModelSession, words: readonly number[]): ReplayStep[] {
  return replaySteps(words, { chunkTokens, contextTokens, canTruncate: cache.parts.rule.kind === "anywhere" });
}

async function replay(session: ModelSession, tested: TestedPrompt, steps: readonly ReplayStep[]): Promise<void> {
  const { cells, parts } = session.cache;
  for (const { from, to, tokens, threads } of steps) {
    giveWay(tested);
    session.setThreads(threads ?? session.prefillThreads);
    const kept = tested.prompt.slice(from, to);
    // What was taken back again has no part in what stayed, but in how the step was computed.
    const takenBack = Array.from({ length: tokens - kept.length }, () => kept.at(-1) ?? 0);
    await cells.extend([...kept, ...takenBack], false);
    if (cells.length > to) await parts.stream.take({ kind: "truncate", sequence: activeSequence, length: to });
  }
}

/** Computes what is not in place, and what comes next. */
async function finish(session: ModelSession, tested: TestedPrompt): Promise<Ending> {
  const { cache, model } = session;
  const { cells } = cache;
  const { prompt } = tested;
  let index = 0;
  session.setThreads(session.prefillThreads);
  while (cells.length < prompt.length) {
    giveWay(tested);
    const chunk = prompt.slice(cells.length, cells.length + session.chunkTokens);
    index = (await cells.extend(chunk, cells.length + chunk.length === prompt.length)) ?? 0;
  }
  using sampler = model.createSampler(greedy, 1, []);
  const logits = await model.context.logits(index, sampler);
  return logits === null ? { choice: await model.context.sample(index, sampler), logits } : { choice: null, logits };
}

function giveWay({ isWanted }: SelfTestRequest): void {
  if (!isWanted()) return;
  const sentence = "The self-test gave way to an answer. Nothing was changed; start it again when the model is idle.";
  throw new RepriseError("ENGINE_FAILED", sentence, { reason: "an answer came first" });
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; elapsedMs: number }> {
  const startMs = performance.now();
  return { result: await work(), elapsedMs: performance.now() - startMs };
}
