import type { EngineEvent } from "../../contract/engine-contract.ts";
import type { AnswerDelta } from "./answer-text.ts";

type Delta = Extract<EngineEvent, { type: "delta" }>;

/**
 * Every message wakes three processes, whose work takes a core from the threads that decode: on two cores an answer is
 * 8 % faster than with a message each frame, and text that grows twenty times a second still flows.
 */
const intervalMs = 50;

/**
 * Owns the text that is ready but not sent yet, and sends it at most once every 50 ms: at once when the last sending is
 * longer ago, else when that time is over, whether or not another token has come by then.
 */
export class DeltaCoalescer implements Disposable {
  readonly #send: (delta: Delta) => void;
  #text = "";
  #tokens: number[] = [];
  #sentAtMs = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(send: (delta: Delta) => void) {
    this.#send = send;
  }

  add(delta: AnswerDelta, nowMs: number): void {
    this.#take(delta);
    const waitMs = this.#sentAtMs + intervalMs - nowMs;
    if (waitMs <= 0) this.#sendNow(nowMs);
    else
      this.#timer ??= setTimeout(() => {
        this.#sendNow(performance.now());
      }, waitMs);
  }

  /** Sends all that is left, if anything. */
  finish(rest: AnswerDelta): void {
    this.#take(rest);
    this.#sendNow(performance.now());
  }

  /** After an answer that failed: nothing is sent any more. */
  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #take(delta: AnswerDelta): void {
    this.#text += delta.text;
    for (const token of delta.tokens) this.#tokens.push(token);
  }

  #sendNow(nowMs: number): void {
    this[Symbol.dispose]();
    if (this.#text === "" && this.#tokens.length === 0) return;
    const delta: Delta = { type: "delta", text: this.#text, tokens: this.#tokens };
    this.#text = "";
    this.#tokens = [];
    this.#sentAtMs = nowMs;
    this.#send(delta);
  }
}
