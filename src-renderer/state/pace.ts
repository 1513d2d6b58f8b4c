/** How fast something goes, from how far it was when, to tell how long it takes yet. */
interface Sample {
  readonly done: number;
  readonly atMs: number;
}

/** Before this long the rate is chance. */
const leastMs = 500;

export class Pace {
  #first: Sample | null = null;
  #last: Sample | null = null;

  /** What was done before the first sample is not counted, since it may have gone in another way. */
  see(done: number, atMs: number): void {
    if (this.#last === null || done < this.#last.done) this.#first = { done, atMs };
    this.#last = { done, atMs };
  }

  forget(): void {
    this.#first = null;
    this.#last = null;
  }

  /** Milliseconds until `total` is done; `null` while nothing can be said. */
  leftMs(total: number): number | null {
    if (this.#first === null || this.#last === null) return null;
    const done = this.#last.done - this.#first.done;
    const tookMs = this.#last.atMs - this.#first.atMs;
    if (done <= 0 || tookMs < leastMs) return null;
    return (Math.max(0, total - this.#last.done) * tookMs) / done;
  }
}
