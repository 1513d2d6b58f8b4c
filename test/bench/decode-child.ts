/**
 * The engine's own loop in a process like the engine's: prompts of an exact length, answers that no token ends.
 * Answers messages `{depth, tokens, seed}` with threads and speed.
 */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { defaultSampling } from "../../src-main/contract/conversation.ts";
import { defaultLoadOptions } from "../../src-main/contract/model-settings.ts";
import { AnswerText } from "../../src-main/engine/generation/answer-text.ts";
import { decode } from "../../src-main/engine/generation/decode.ts";
import { DeltaCoalescer } from "../../src-main/engine/generation/delta-coalescer.ts";
import { prefill } from "../../src-main/engine/generation/prefill.ts";
import { ActiveCells } from "../../src-main/engine/kv/active-cells.ts";
import { loadLlama } from "../../src-main/engine/llama/load-llama.ts";
import { jobsAreOrdered } from "../../src-main/engine/llama/native.ts";
import { OpenModel } from "../../src-main/engine/llama/open-model.ts";
import { threadCandidates } from "../../src-main/engine/tuning/choose-threads.ts";
import { DecodeWatch } from "../../src-main/engine/tuning/decode-watch.ts";
import { measureThreads } from "../../src-main/engine/tuning/measure-threads.ts";

export interface DecodeTask {
  readonly depth: number;
  readonly tokens: number;
  readonly seed: number;
}

export interface DecodeSpeed {
  readonly threads: number;
  readonly tokensPerSecond: number;
}

const contextTokens = 2_048;
const chunkTokens = 256;

const { signal } = new AbortController();
const [path = ""] = process.argv.slice(2);
const options = { ...defaultLoadOptions, contextTokens };
const loading = { options, checkTensors: false, signal, onProgress: () => undefined };
const model = await OpenModel.open(await loadLlama(), path, loading);
const { context, vocabulary } = model;
const { flashAttention } = model.settings.cache;
const text = Array.from({ length: 200 }, (_, item) => `Item ${item} is kept on shelf ${(item * 7) % 31}.`).join(" ");
const prompt = vocabulary.tokenize(text, { special: false });
const candidates = threadCandidates(availableParallelism());
const tuning = await measureThreads(context, { candidates, tokens: prompt.slice(0, 32), signal });

async function measure({ depth, tokens, seed }: DecodeTask): Promise<DecodeSpeed> {
  context.clear();
  const cells = new ActiveCells(context, {
    onFull: () => contextTokens,
    isAlone: () => true,
    onFailure: () => undefined,
  });
  const watch = new DecodeWatch(tuning);
  const setThreads = (threads: number) => {
    context.setThreads(threads);
  };
  watch.begin(performance.now());
  setThreads(tuning.prefill);
  const nobody = { signal, onProgress: () => undefined, onChunk: () => undefined };
  const { logitIndex, elapsedMs: computedMs } = await prefill(cells, prompt.slice(0, depth), {
    chunkTokens,
    ...nobody,
  });
  if (logitIndex === null) throw new Error("The prompt was not computed to its end.");
  using sampler = model.createSampler(defaultSampling, seed, prompt.slice(0, depth));
  using deltas = new DeltaCoalescer(() => undefined);
  watch.beginDecoding({ computedMs, depthTokens: depth, nowMs: performance.now() });
  setThreads(watch.threads);
  const grow = () => Promise.resolve(false);
  const loop = {
    cells,
    isOrdered: jobsAreOrdered,
    contextTokens,
    grow,
    watch,
    setThreads,
    isEndOfGeneration: () => false,
  };
  const { firstTokenAtMs, lastTokenAtMs } = await decode(loop, {
    logitIndex,
    sample: (index) => context.sample(index, sampler),
    answer: new AnswerText(vocabulary, []),
    deltas,
    maxTokens: tokens + 1,
    signal,
  });
  return { threads: watch.threads, tokensPerSecond: (tokens * 1_000) / (lastTokenAtMs - firstTokenAtMs) };
}

process.send?.({ tuning, flashAttention });
for (;;) {
  const [task] = (await once(process, "message")) as [DecodeTask];
  process.send?.(await measure(task));
}
