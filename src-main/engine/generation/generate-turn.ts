/** One answer, from the messages to the report: builds the prompt, puts it in place, decodes, tells what it cost. */
import type { EngineEvent, GenerateInput } from "../../contract/engine-contract.ts";
import { RepriseError } from "../../contract/errors.ts";
import type { Sampling } from "../../contract/conversation.ts";
import type { MemoryReport } from "../../contract/turn-report.ts";
import { AnswerText } from "./answer-text.ts";
import { decode, type Decoded, type Decoder } from "./decode.ts";
import { DeltaCoalescer } from "./delta-coalescer.ts";
import { prefill } from "./prefill.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { turnReport } from "./turn-report.ts";

/** A loaded model, as far as an answer needs it. */
export interface TurnModel extends Decoder {
  readonly tokenizer: Tokenizer;
  readonly chunkTokens: number;
  readonly prefillThreads: number;
  /** What the template adds to the stop strings of the request. */
  readonly templateStops: readonly string[];
  /** Throws TEMPLATE_FAILED. */
  promptTokens(messages: GenerateInput["messages"]): readonly number[];
  /** Chooses the tokens of one answer. */
  sampler(sampling: Sampling, seed: number, prompt: readonly number[]): TurnSampler;
  memory(addedTokens: number): MemoryReport;
}

export interface TurnSampler extends Disposable {
  sample(logitIndex: number): Promise<number>;
}

export interface TurnRequest {
  readonly sampling: Sampling;
  readonly seed: number;
  /** When the request came to the engine, and when its turn came, by `performance.now()`. */
  readonly arrivedAtMs: number;
  readonly startedAtMs: number;
  readonly signal: AbortSignal;
  readonly send: (event: EngineEvent) => void;
}

/** Sends the turn's events; `done` is the last. Throws CONTEXT_FULL before anything was computed, or ENGINE_FAILED. */
export async function generateTurn(
  model: TurnModel,
  messages: GenerateInput["messages"],
  request: TurnRequest,
): Promise<void> {
  await answerPrompt(model, model.promptTokens(messages), request);
}

/** The same for a prompt that is made already. */
export async function answerPrompt(model: TurnModel, prompt: readonly number[], request: TurnRequest): Promise<void> {
  checkRoom(prompt.length, model.contextTokens);
  const { cache } = model;
  const { signal, send, seed } = request;
  model.watch.begin(performance.now());
  const { prefillThreads } = model;
  model.setThreads(prefillThreads);
  const prefilled = await prefill(cache, prompt, {
    chunkTokens: model.chunkTokens,
    signal,
    onProgress: (doneTokens, totalTokens) => {
      send({ type: "prefill", doneTokens, totalTokens });
    },
  });
  const { logitIndex } = prefilled;
  const answer = logitIndex === null || signal.aborted ? null : await decodeAnswer(model, prompt, logitIndex, request);
  const report = turnReport({
    arrivedAtMs: request.arrivedAtMs,
    startedAtMs: request.startedAtMs,
    prefilled,
    decoded: answer?.decoded ?? null,
    seed,
    threads: { prefill: prefillThreads, decode: model.watch.threads },
    context: { usedTokens: cache.length, sizeTokens: model.contextTokens },
    memory: model.memory(cache.length - prefilled.fromResident),
  });
  send({ type: "done", answerTokens: answer === null ? [] : answer.answerTokens, report });
}

interface Answer {
  readonly decoded: Decoded;
  readonly answerTokens: number[] | null;
}

async function decodeAnswer(
  model: TurnModel,
  prompt: readonly number[],
  logitIndex: number,
  { sampling, seed, signal, send }: TurnRequest,
): Promise<Answer> {
  const answer = new AnswerText(model.tokenizer, [...sampling.stop, ...model.templateStops]);
  using sampler = model.sampler(sampling, seed, prompt);
  using deltas = new DeltaCoalescer(send);
  model.setThreads(model.watch.threads);
  const decoded = await decode(model, {
    logitIndex,
    sample: (index) => sampler.sample(index),
    answer,
    deltas,
    maxTokens: sampling.maxTokens,
    signal,
  });
  const rest = answer.finish();
  deltas.finish(rest);
  return { decoded, answerTokens: rest.answerTokens === null ? null : [...rest.answerTokens] };
}

/** A prompt must leave room for an answer worth having. */
function checkRoom(promptTokens: number, contextTokens: number): void {
  const answerRoom = Math.min(64, Math.floor(contextTokens / 8));
  if (promptTokens > 0 && promptTokens + answerRoom <= contextTokens) return;
  if (promptTokens === 0) {
    throw new RepriseError("INVALID_INPUT", "There is nothing to answer yet. Write a message first.", {
      reason: "the prompt has no tokens",
    });
  }
  throw new RepriseError(
    "CONTEXT_FULL",
    `This conversation no longer fits the model: it has ${promptTokens} tokens, and of ${contextTokens} some must be ` +
      "left for the answer. Nothing was lost. Go on in a new conversation, or shorten the last message.",
    { promptTokens, contextTokens },
  );
}
