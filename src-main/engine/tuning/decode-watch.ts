import type { ThreadTuning } from "../../contract/model.ts";
import { SlowStart, type AnswerBeginning } from "./slow-start.ts";

/** Attention grows with the depth: generously, a token costs its price again every so many tokens. */
const depthThatDoublesTokens = 500;
const slowFactor = 3;
const verySlowFactor = 6;
const verySlowAtLeastMs = 100;
/** Two very slow tokens in a row, or six slow ones. */
const enough = 6;
const shortestPauseMs = 10_000;
const longestPauseMs = 300_000;

/**
 * How much one token's time speaks for threads that wait for a core they cannot get, instead of a slow model: 3, 1, or
 * against it −1.
 */
export function suspicion(tokenMs: number, expectedMs: number, depthTokens: number): number {
  const expectedHereMs = expectedMs * (1 + depthTokens / depthThatDoublesTokens);
  if (tokenMs > Math.max(verySlowAtLeastMs, verySlowFactor * expectedHereMs)) return 3;
  return tokenMs > slowFactor * expectedHereMs ? 1 : -1;
}

/**
 * Owns how many threads decode with right now. llama.cpp's threads wait for each other at every step, so with one more
 * than there are free cores decoding falls a hundredfold, whatever was measured on a quiet machine. Halves the threads
 * when that happens; a later answer tries the measured number again, after a pause that doubles as long as that fails.
 */
export class DecodeWatch {
  readonly #tunedThreads: number;
  readonly #expectedMs: number | null;
  readonly #slowStart: SlowStart;
  #threads: number;
  #suspicion = 0;
  #loweredAtMs = 0;
  #pauseMs = shortestPauseMs;
  #isTrying = false;

  constructor(tuning: ThreadTuning) {
    const { decode, measured } = tuning;
    this.#slowStart = new SlowStart(tuning);
    const measurement = measured.find(({ threads }) => threads === decode);
    this.#tunedThreads = decode;
    this.#expectedMs = measurement === undefined ? null : 1_000 / measurement.decodeTokensPerSecond;
    this.#threads = decode;
  }

  get threads(): number {
    return this.#slowStart.isOn ? 1 : this.#threads;
  }

  /** The same without regard to how an answer begins. */
  get lastingThreads(): number {
    return this.#threads;
  }

  /** Of the threads another phase was tuned to, those to use now: no more than decode gets while cores are scarce. */
  within(threads: number): number {
    return this.#threads < this.#tunedThreads ? Math.min(threads, this.#threads) : threads;
  }

  /** An answer begins. */
  begin(nowMs: number): void {
    this.#suspicion = 0;
    if (this.#threads === this.#tunedThreads) {
      // The answer before went well with it.
      if (this.#isTrying) this.#pauseMs = shortestPauseMs;
      this.#isTrying = false;
    } else if (nowMs - this.#loweredAtMs >= this.#pauseMs) {
      this.#threads = this.#tunedThreads;
      this.#isTrying = true;
    }
  }

  /** The prompt of the answer that has begun is in place, and its first token is chosen. */
  beginDecoding(beginning: AnswerBeginning): void {
    this.#slowStart.begin(beginning);
  }

  /** Notes what one token took. True when the number of threads is another now. */
  note(tokenMs: number, depthTokens: number, nowMs: number): boolean {
    const wasSlowStart = this.#slowStart.isOn;
    if (this.#slowStart.note(tokenMs, nowMs)) return true;
    if (wasSlowStart) return false;
    if (this.#expectedMs === null || this.#threads === 1) return false;
    this.#suspicion = Math.max(0, this.#suspicion + suspicion(tokenMs, this.#expectedMs, depthTokens));
    if (this.#suspicion < enough) return false;
    this.#threads = Math.max(1, Math.floor(this.#threads / 2));
    if (this.#isTrying) this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
    this.#isTrying = false;
    this.#loweredAtMs = nowMs;
    this.#suspicion = 0;
    return true;
  }
}
