/**
 * The engine's own loop in a process like the engine's: prompts of an exact length, answers that no token ends.
 * Answers messages `{depth, seed}` with what the turn measured.
 */
import { once } from "node:events";
import { defaultSampling } from "../../src-main/contract/conversation.ts";
import type { TurnReport } from "../../src-main/contract/turn-report.ts";
import { answerPrompt, type TurnModel } from "../../src-main/engine/generation/generate-turn.ts";
import { loadLlama } from "../../src-main/engine/llama/load-llama.ts";
import { ModelSession } from "../../src-main/engine/model-session.ts";

export interface DecodeTask {
  readonly depth: number;
  readonly tokens: number;
  readonly seed: number;
}

const { signal } = new AbortController();
const [path = ""] = process.argv.slice(2);
const session = await ModelSession.load(
  await loadLlama(),
  { path, contextTokens: 2_048, tuning: null },
  { signal, onProgress: () => undefined },
);
const text = Array.from({ length: 200 }, (_, item) => `Item ${item} is kept on shelf ${(item * 7) % 31}.`).join(" ");
const prompt = session.tokenizer.tokenize(text, { special: false });

/** The session, but for the end of answers: how many tokens are decoded must not depend on what they say. */
const endless: TurnModel = {
  cache: session.cache,
  contextTokens: session.contextTokens,
  watch: session.watch,
  tokenizer: session.tokenizer,
  chunkTokens: session.chunkTokens,
  prefillThreads: session.prefillThreads,
  templateStops: session.templateStops,
  setThreads: (threads) => {
    session.setThreads(threads);
  },
  isEndOfGeneration: () => false,
  promptTokens: (messages) => session.promptTokens(messages),
  sampler: (...options) => session.sampler(...options),
  memory: (addedTokens) => session.memory(addedTokens),
};

async function measure({ depth, tokens, seed }: DecodeTask): Promise<TurnReport> {
  const nowMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<TurnReport>();
  const sampling = { ...defaultSampling, maxTokens: tokens + 1 };
  await answerPrompt(endless, prompt.slice(0, depth), {
    sampling,
    seed,
    arrivedAtMs: nowMs,
    startedAtMs: nowMs,
    signal,
    send: (event) => {
      if (event.type === "done") resolve(event.report);
    },
  });
  return await promise;
}

process.send?.({ tuning: session.description.tuning, flashAttention: session.description.flashAttention });
for (;;) {
  const [task] = (await once(process, "message")) as [DecodeTask];
  process.send?.(await measure(task));
}
