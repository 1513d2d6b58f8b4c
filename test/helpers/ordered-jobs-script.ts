/**
 * Answers with the model given: waiting for each of the library's jobs, and not waiting. Prints both answers, how a full
 * context fails, and the answer after that.
 */
import { defaultSampling } from "../../src-main/contract/conversation.ts";
import { defaultLoadOptions } from "../../src-main/contract/model-settings.ts";
import { AnswerText } from "../../src-main/engine/generation/answer-text.ts";
import { decode } from "../../src-main/engine/generation/decode.ts";
import { DeltaCoalescer } from "../../src-main/engine/generation/delta-coalescer.ts";
import { ActiveCells } from "../../src-main/engine/kv/active-cells.ts";
import { loadLlama } from "../../src-main/engine/llama/load-llama.ts";
import { jobsAreOrdered } from "../../src-main/engine/llama/native.ts";
import { OpenModel } from "../../src-main/engine/llama/open-model.ts";
import { DecodeWatch } from "../../src-main/engine/tuning/decode-watch.ts";

const { signal } = new AbortController();
const options = { ...defaultLoadOptions, contextTokens: 256 };
const loading = { options, checkTensors: false, signal, onProgress: () => undefined };
const model = await OpenModel.open(await loadLlama(), String(process.argv[2]), loading);
const { context, vocabulary } = model;
const prompt = vocabulary.tokenize("The weather every morning: wind from the north-west.", { special: false });

async function answer(isOrdered: boolean, maxTokens: number): Promise<readonly number[]> {
  context.clear();
  context.setThreads(1);
  const cells = new ActiveCells(context, { onFull: () => 256, isAlone: () => true, onFailure: () => undefined });
  const logitIndex = (await cells.extend(prompt, true)) ?? 0;
  using sampler = model.createSampler({ ...defaultSampling, temperature: 1.5 }, 7, prompt);
  using deltas = new DeltaCoalescer(() => undefined);
  const decoder = {
    cells,
    isOrdered,
    // More than there are: so the library itself finds that none is left.
    contextTokens: 1_000,
    grow: () => Promise.resolve(false),
    watch: new DecodeWatch({ prefill: 1, decode: 1, measured: [] }),
    setThreads: () => undefined,
    isEndOfGeneration: () => false,
  };
  const sample = (index: number) => context.sample(index, sampler);
  const text = new AnswerText(vocabulary, []);
  await decode(decoder, { logitIndex, sample, answer: text, deltas, maxTokens, signal });
  return cells.tokens.slice(prompt.length);
}

const waiting = await answer(false, 120);
const ordered = await answer(true, 120);
const failure = await answer(true, 500).catch((error: unknown) => (error as { data: unknown }).data);
const again = await answer(true, 120);
process.stdout.write(`${JSON.stringify({ jobsAreOrdered, waiting, ordered, failure, again })}\n`);
process.exit(0);
