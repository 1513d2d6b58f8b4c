import type { ThreadTuning } from "../../contract/model.ts";

/** After so long without work the system has forgotten that this process computes. */
const pauseMs = 250;
/** Computing for so long reminds it. */
const warmMs = 60;
/** What one thread must do, of what the measured number does, to stand in for it for a moment. */
const leastShare = 0.8;
/** Beyond 256 cells llama.cpp splits one token's attention among the threads, and so another number rounds otherwise. */
const deepestTokens = 192;

export interface AnswerBeginning {
  /** How long the prompt was computed just now. */
  readonly computedMs: number;
  /** In place when the answer begins. */
  readonly depthTokens: number;
  readonly nowMs: number;
}

/**
 * One thread for the first moment after a pause, where it is nearly as fast as the measured number. llama.cpp starts its
 * other threads anew for every token; in a virtual machine the system puts them on the core of the first one, with
 * another core idle, until it has seen that one work for a while: tokens of 20 ms instead of 6, ten and more of them.
 */
export class SlowStart {
  readonly #isWorthwhile: boolean;
  #workedAtMs = -Infinity;
  #leftMs = 0;

  constructor({ decode, measured }: ThreadTuning) {
    const speedOf = (wanted: number) =>
      measured.find(({ threads }) => threads === wanted)?.decodeTokensPerSecond ?? NaN;
    this.#isWorthwhile = decode > 1 && speedOf(1) >= leastShare * speedOf(decode);
  }

  get isOn(): boolean {
    return this.#leftMs > 0;
  }

  begin({ computedMs, depthTokens, nowMs }: AnswerBeginning): void {
    const isRested = nowMs - computedMs - this.#workedAtMs > pauseMs;
    this.#leftMs = this.#isWorthwhile && isRested && depthTokens <= deepestTokens ? warmMs - computedMs : 0;
  }

  /** Notes what one token took. True when it was the last of the slow start. */
  note(tokenMs: number, nowMs: number): boolean {
    this.#workedAtMs = nowMs;
    if (!this.isOn) return false;
    this.#leftMs -= tokenMs;
    return !this.isOn;
  }
}
