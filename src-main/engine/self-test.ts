/** A conversation restored from the store, held against the same tokens computed afresh. */
import type { SelfTestResult } from "../contract/cache.ts";
import { defaultSampling } from "../contract/conversation.ts";
import type { PromptMessage } from "../contract/engine-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import type { ModelSession } from "./model-session.ts";

export interface SelfTestRequest {
  readonly conversationId: string;
  readonly messages: readonly PromptMessage[];
  /** Somebody waits for an answer: the test gives way. */
  readonly isWanted: () => boolean;
}

const greedy = { ...defaultSampling, temperature: 0, repeatPenalty: 1, repeatPenaltyTokens: 0 };

interface Ending {
  readonly choice: number;
  readonly logits: Float32Array | null;
}

/** Leaves the restored conversation in place. Throws ENGINE_FAILED where an answer came first. */
export async function selfTest(session: ModelSession, request: SelfTestRequest): Promise<SelfTestResult> {
  const { cache } = session;
  while (await cache.saveStep());
  const prompt = session.prompt(request.messages).tokens;
  if (cache.parts.tiers.match(prompt) === null) return nothingStored;
  session.setThreads(session.prefillThreads);
  await cache.clearActive();
  const freshMs = await timed(async () => await compute(session, prompt, request));
  const fresh = freshMs.result;
  await cache.clearActive();
  const restoring = await timed(
    async () =>
      await cache.place({
        kind: "turn",
        conversationId: request.conversationId,
        prompt,
        boundaryTokens: session.systemTokens(request.messages),
        reserveTokens: 0,
      }),
  );
  const placement = restoring.result;
  const tokens = placement.restored === null ? 0 : placement.restored.to - placement.restored.from;
  const restored = await compute(session, prompt, request);
  await cache.settle(placement);
  const difference = compare(fresh.logits, restored.logits);
  return {
    tokens,
    isSameChoice: tokens > 0 && fresh.choice === restored.choice,
    ...(tokens > 0 ? difference : { maxDifference: null, scale: null }),
    restoreMs: restoring.elapsedMs,
    computeMs: freshMs.elapsedMs,
  };
}

/** Computes what is not in place, and what comes next. */
async function compute(
  session: ModelSession,
  prompt: readonly number[],
  { isWanted }: SelfTestRequest,
): Promise<Ending> {
  const { cache, model } = session;
  const { cells } = cache;
  let index = 0;
  while (cells.length < prompt.length) {
    if (isWanted()) throw gaveWay();
    const chunk = prompt.slice(cells.length, cells.length + session.chunkTokens);
    index = (await cells.extend(chunk, cells.length + chunk.length === prompt.length)) ?? 0;
  }
  using sampler = model.createSampler(greedy, 1, []);
  const logits = await model.context.logits(index, sampler);
  return { choice: await model.context.sample(index, sampler), logits };
}

function compare(a: Float32Array | null, b: Float32Array | null): Pick<SelfTestResult, "maxDifference" | "scale"> {
  if (a === null || b?.length !== a.length) return { maxDifference: null, scale: null };
  let maxDifference = 0;
  let scale = 0;
  for (const [index, logit] of a.entries()) {
    maxDifference = Math.max(maxDifference, Math.abs(logit - (b[index] ?? NaN)));
    scale = Math.max(scale, Math.abs(logit));
  }
  return { maxDifference, scale };
}

function gaveWay(): RepriseError {
  const sentence = "The self-test gave way to an answer. Nothing was changed; start it again when the model is idle.";
  return new RepriseError("ENGINE_FAILED", sentence, { reason: "an answer came first" });
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; elapsedMs: number }> {
  const startMs = performance.now();
  return { result: await work(), elapsedMs: performance.now() - startMs };
}

const nothingStored: SelfTestResult = {
  tokens: 0,
  isSameChoice: false,
  maxDifference: null,
  scale: null,
  restoreMs: 0,
  computeMs: 0,
};
