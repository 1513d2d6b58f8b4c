/** One answer, from the messages to the report: builds the prompt, puts it in place, decodes, tells what it cost. */
import type { EngineEvent } from "../../contract/engine-contract.ts";
import { RepriseError } from "../../contract/errors.ts";
import type { Sampling } from "../../contract/conversation.ts";
import type { MemoryReport, TurnReport } from "../../contract/turn-report.ts";
import type { ActiveCells } from "../kv/active-cells.ts";
import type { PlacedOrigins } from "../kv/branch-origins.ts";
import type { PlacementRequest } from "../kv/plan-prompt.ts";
import type { Placement } from "../kv/placement.ts";
import { AnswerText } from "./answer-text.ts";
import { decode, type Decoded, type Decoder } from "./decode.ts";
import { DeltaCoalescer } from "./delta-coalescer.ts";
import { prefill, type Prefilled } from "./prefill.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { turnReport } from "./turn-report.ts";

/** A prompt that is to be answered, and whose it is. */
export interface TurnPrompt extends Pick<PlacementRequest, "kind" | "conversationId" | "boundaryTokens"> {
  readonly tokens: readonly number[];
}

/** What a turn came to, for whoever explains and remembers it. */
export interface TurnOutcome {
  readonly placement: Placement;
  readonly prefilled: Prefilled;
  /** Of the answer, as far as its text was kept; empty where there is none. */
  readonly answer: { readonly tokens: readonly number[]; readonly text: string };
}

export type TurnExplanation = Pick<TurnReport, "model" | "savedMs" | "divergence" | "shortfall"> & {
  readonly origins: PlacedOrigins;
};

/** A loaded model, as far as an answer needs it. */
export interface TurnModel extends Decoder {
  readonly cells: Pick<ActiveCells, "length" | "append" | "extend">;
  readonly tokenizer: Tokenizer;
  /** What the context could have if a conversation needed it. */
  readonly limitTokens: number;
  readonly chunkTokens: number;
  readonly prefillThreads: number;
  /** What the template adds to the stop strings of the request. */
  readonly templateStops: readonly string[];
  /** Makes room for so many tokens where it can be made. Returns how many the conversation may have at most. */
  fit(tokens: number): Promise<number>;
  /** Puts the beginning of a prompt in place. */
  place(request: PlacementRequest): Promise<Placement>;
  /** Where to pause on the way through a prompt that is placed, and call `saveHere`. */
  readonly pauses: readonly number[];
  saveHere(): Promise<void>;
  noteChunk(from: number, to: number, elapsedMs: number): void;
  /** What was computed is kept, or makes way for what was there before. Also after a failure. */
  settle(placement: Placement): Promise<void>;
  /** Whose the reused tokens are, and what they would have cost; what changed; what was missing. Remembers the turn. */
  explain(outcome: TurnOutcome): TurnExplanation;
  /** Chooses the tokens of one answer. */
  sampler(sampling: Sampling, seed: number, prompt: readonly number[]): TurnSampler;
  memory(turn: { readonly addedTokens: number; readonly conversationId: string }): MemoryReport;
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
export async function answerPrompt(model: TurnModel, prompt: TurnPrompt, request: TurnRequest): Promise<void> {
  checkRoom(prompt.tokens.length, await model.fit(withAnswer(prompt.tokens.length, model.contextTokens)));
  const reserveTokens = answerRoom(model.contextTokens);
  model.watch.begin(performance.now());
  const { prefillThreads } = model;
  model.setThreads(prefillThreads);
  const placement = await model.place({ ...prompt, prompt: prompt.tokens, reserveTokens });
  try {
    const turn = await computeTurn(model, prompt, request);
    const report = reportOf(model, prompt, { ...turn, placement, prefillThreads }, request);
    await model.settle(placement);
    const answerTokens = turn.answer === null ? [] : turn.answer.answerTokens;
    request.send({ type: "done", answerTokens, report });
  } catch (caught) {
    await model.settle(placement);
    throw caught;
  }
}

interface ComputedTurn {
  readonly prefilled: Prefilled;
  readonly answer: Answer | null;
}

async function computeTurn(model: TurnModel, { tokens }: TurnPrompt, request: TurnRequest): Promise<ComputedTurn> {
  const { signal, send } = request;
  const prefilled = await prefill(model.cells, tokens, {
    chunkTokens: model.chunkTokens,
    pauses: { points: model.pauses, onPause: () => model.saveHere() },
    signal,
    onProgress: (doneTokens, totalTokens) => {
      send({ type: "prefill", doneTokens, totalTokens });
    },
    onChunk: (from, to, elapsedMs) => {
      model.noteChunk(from, to, elapsedMs);
    },
  });
  const { logitIndex } = prefilled;
  if (logitIndex === null || signal.aborted) return { prefilled, answer: null };
  const beginning = { computedMs: prefilled.elapsedMs, depthTokens: model.cells.length, nowMs: performance.now() };
  model.watch.beginDecoding(beginning);
  return { prefilled, answer: await decodeAnswer(model, tokens, logitIndex, request) };
}

function reportOf(
  model: TurnModel,
  { conversationId }: TurnPrompt,
  turn: ComputedTurn & { readonly placement: Placement; readonly prefillThreads: number },
  request: TurnRequest,
): TurnReport {
  const { placement, prefilled, answer } = turn;
  const { cells, contextTokens, limitTokens } = model;
  const inPlaceBefore = placement.restored?.from ?? placement.reusedTokens;
  const said = { tokens: answer?.answerTokens ?? [], text: answer?.text ?? "" };
  return turnReport({
    arrivedAtMs: request.arrivedAtMs,
    startedAtMs: request.startedAtMs,
    placement,
    prefilled,
    decoded: answer?.decoded ?? null,
    ...model.explain({ placement, prefilled, answer: said }),
    seed: request.seed,
    threads: { prefill: turn.prefillThreads, decode: model.watch.threads },
    context: { usedTokens: cells.length, sizeTokens: contextTokens, limitTokens },
    memory: model.memory({ addedTokens: cells.length - inPlaceBefore, conversationId }),
  });
}

interface Answer {
  readonly decoded: Decoded;
  readonly answerTokens: number[] | null;
  readonly text: string;
}

async function decodeAnswer(
  model: TurnModel,
  prompt: readonly number[],
  logitIndex: number,
  { sampling, seed, signal, send }: TurnRequest,
): Promise<Answer> {
  const answer = new AnswerText(model.tokenizer, [...sampling.stop, ...model.templateStops]);
  using sampler = model.sampler(sampling, seed, prompt);
  const written: string[] = [];
  using deltas = new DeltaCoalescer((event) => {
    written.push(event.text);
    send(event);
  });
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
  const answerTokens = rest.answerTokens === null ? null : [...rest.answerTokens];
  return { decoded, answerTokens, text: written.join("") };
}

/** A prompt must leave room for an answer worth having. */
function answerRoom(contextTokens: number): number {
  return Math.min(64, Math.floor(contextTokens / 8));
}

/** How many tokens a prompt needs in a context of that size. */
export function withAnswer(promptTokens: number, contextTokens: number): number {
  return promptTokens + answerRoom(contextTokens);
}

export function isRoomFor(promptTokens: number, contextTokens: number): boolean {
  return withAnswer(promptTokens, contextTokens) <= contextTokens;
}

/** Throws CONTEXT_FULL, or INVALID_INPUT for no tokens at all. */
export function checkRoom(promptTokens: number, contextTokens: number): void {
  if (promptTokens > 0 && isRoomFor(promptTokens, contextTokens)) return;
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
