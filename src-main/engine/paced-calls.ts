/**
 * Calls something when it is requested, never twice within a while and never at once: whoever requests it is in the
 * middle of something else. It owns the one call that is still to come.
 */
export class PacedCalls implements Disposable {
  readonly #pauseMs: number;
  readonly #call: () => void;
  #calledAtMs = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(pauseMs: number, call: () => void) {
    this.#pauseMs = pauseMs;
    this.#call = call;
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  request(): void {
    const waitMs = Math.max(0, this.#calledAtMs + this.#pauseMs - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#calledAtMs = performance.now();
      this.#call();
    }, waitMs);
  }
}
