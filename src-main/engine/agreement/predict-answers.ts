/**
 * What a model would have chosen for every token of a conversation's answers, while nobody waits: chunk after chunk,
 * between which answers have their turn.
 */
import type { PredictInput, PredictionEvent } from "../../contract/engine-contract.ts";
import { RepriseError } from "../../contract/errors.ts";
import type { ModelSession } from "../model-session.ts";
import type { SessionPrompts } from "../session-prompts.ts";
import type { TurnQueue } from "../turn-queue.ts";
import { answerToRead, isReadable, type AnswerToRead } from "./answers-to-read.ts";
import { ForcedReading, readableTokens } from "./forced-reading.ts";

export interface PredictOptions {
  readonly queue: TurnQueue;
  /** The model loaded now. */
  readonly session: () => ModelSession | null;
  readonly signal: AbortSignal;
  readonly send: (event: PredictionEvent) => void;
}

/** Sends `done` last, also where another model was loaded meanwhile. Throws MODEL_MISSING, TEMPLATE_FAILED, ENGINE_FAILED. */
export async function predictAnswers(input: PredictInput, options: PredictOptions): Promise<void> {
  const { queue, signal, send } = options;
  await using prediction = new Prediction(input, options);
  for (let isLast = false; !isLast;) {
    const turn = await queue.runIdle(signal, () => prediction.step());
    if (!turn.started) break;
    isLast = turn.result;
  }
  send({ type: "done", isInterrupted: !prediction.isComplete });
}

/** One call. It owns what of the answers is still to be read. */
class Prediction implements AsyncDisposable {
  readonly #input: PredictInput;
  readonly #options: PredictOptions;
  #session: ModelSession | null = null;
  /** Whatever template the model is given meanwhile. */
  #prompts: SessionPrompts | null = null;
  #reading: ForcedReading | null = null;
  #answer: AnswerToRead | null = null;
  #waiting: number[];
  #limitTokens = 0;
  #totalTokens = 0;
  #doneTokens = 0;

  constructor(input: PredictInput, options: PredictOptions) {
    this.#input = input;
    this.#options = options;
    this.#waiting = [...input.wanted].sort((one, other) => one - other);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading?.[Symbol.asyncDispose]();
  }

  get isComplete(): boolean {
    return this.#waiting.length === 0 && this.#answer === null;
  }

  /** Returns whether there is nothing more to do, or nobody to do it. */
  async step(): Promise<boolean> {
    const session = this.#options.session();
    if (session === null || (this.#session !== null && session !== this.#session)) return this.#gone();
    if (this.#session === null) await this.#begin(session);
    this.#answer ??= this.#next();
    if (this.#answer === null) return true;
    this.#reading ??= await ForcedReading.open(session, this.#totalTokens, this.#options.signal);
    const { message } = this.#answer;
    const tokens = await this.#reading.step(this.#answer);
    this.#tell(this.#reading.position);
    if (tokens === null) return false;
    this.#options.send({ type: "answer", message, tokens: [...tokens] });
    this.#answer = null;
    return this.isComplete;
  }

  #gone(): boolean {
    if (this.#session !== null) return true;
    throw new RepriseError("MODEL_MISSING", "No model is loaded. Choose one, then try again.", { path: null });
  }

  /** Leaves out what cannot be read, and finds the longest that can. */
  async #begin(session: ModelSession): Promise<void> {
    const { messages } = this.#input;
    const prompts = session.promptsWith(this.#input.chatTemplate);
    this.#session = session;
    this.#prompts = prompts;
    this.#limitTokens = await readableTokens(session);
    this.#waiting = this.#waiting.filter((message) => {
      const isKnown = isReadable(session, messages[message]);
      if (!isKnown) this.#options.send({ type: "left-out", message, reason: "other-tokens" });
      return isKnown;
    });
    for (const message of this.#waiting.toReversed()) {
      const { chain } = answerToRead(prompts, messages, message);
      if (chain.length > this.#limitTokens) continue;
      this.#totalTokens = chain.length - 1;
      return;
    }
  }

  #next(): AnswerToRead | null {
    const prompts = this.#prompts;
    if (prompts === null) return null;
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      const answer = answerToRead(prompts, this.#input.messages, message);
      if (answer.chain.length <= Math.min(this.#limitTokens, this.#totalTokens + 1)) return answer;
      this.#options.send({ type: "left-out", message, reason: "too-long" });
    }
    return null;
  }

  /** What is computed twice is not counted twice. */
  #tell(position: number): void {
    this.#doneTokens = Math.max(this.#doneTokens, position);
    this.#options.send({ type: "progress", doneTokens: this.#doneTokens, totalTokens: this.#totalTokens });
  }
}
