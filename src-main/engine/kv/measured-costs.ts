import type { ReuseCosts } from "./reuse-costs.ts";

/** A slope and what is there without it, from samples of which the old ones count less and less. */
class LineFit {
  #weight = 0;
  #x = 0;
  #y = 0;
  #xx = 0;
  #xy = 0;

  get isEmpty(): boolean {
    return this.#weight === 0;
  }

  add(x: number, y: number, weight: number): void {
    const decay = 0.9;
    this.#weight = this.#weight * decay + weight;
    this.#x = this.#x * decay + x * weight;
    this.#y = this.#y * decay + y * weight;
    this.#xx = this.#xx * decay + x * x * weight;
    this.#xy = this.#xy * decay + x * y * weight;
  }

  /** Neither is below zero: nothing gets faster with more of it. */
  get line(): { readonly base: number; readonly slope: number } {
    const spread = this.#weight * this.#xx - this.#x * this.#x;
    const mean = this.#y / this.#weight;
    const slope = spread > 1e-9 * this.#xx ? (this.#weight * this.#xy - this.#x * this.#y) / spread : 0;
    if (slope <= 0) return { base: mean, slope: 0 };
    const base = mean - (slope * this.#x) / this.#weight;
    return base >= 0 ? { base, slope } : { base: 0, slope: this.#xy / this.#xx };
  }
}

/** A chunk of fewer tokens costs more for each: that says nothing of a long prefill. */
const representativeTokens = 32;

/** What computing and restoring cost on this machine, from every time they were done. It owns the figures. */
export class MeasuredCosts {
  readonly #prefill = new LineFit();
  readonly #restore = new LineFit();
  readonly #tunedMsPerToken: number | null;

  /** `tokensPerSecond`: of a prefill without anything before it, as measured when threads were chosen. */
  constructor(tokensPerSecond: number | null) {
    this.#tunedMsPerToken = tokensPerSecond === null ? null : 1_000 / tokensPerSecond;
  }

  /** Whether anything is known of what computing costs. */
  get knowsPrefill(): boolean {
    return !this.#prefill.isEmpty || this.#tunedMsPerToken !== null;
  }

  notePrefill(from: number, to: number, elapsedMs: number): void {
    const tokens = to - from;
    if (tokens < representativeTokens) return;
    this.#prefill.add((from + to - 1) / 2, elapsedMs / tokens, tokens);
  }

  noteRestore(tokens: number, elapsedMs: number): void {
    if (tokens > 0) this.#restore.add(tokens, elapsedMs, 1);
  }

  /** What is not measured yet is taken to be so that restoring is tried. */
  get costs(): ReuseCosts {
    const prefill = this.#prefill.isEmpty
      ? { base: this.#tunedMsPerToken ?? untried.msPerToken, slope: 0 }
      : this.#prefill.line;
    const restore = this.#restore.isEmpty ? { base: 0, slope: 0 } : this.#restore.line;
    return {
      prefill: { msPerToken: prefill.base, msPerTokenAndDepth: prefill.slope },
      restore: { fixedMs: restore.base, msPerToken: restore.slope },
    };
  }
}

const untried = { msPerToken: 1 };
