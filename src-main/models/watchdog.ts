/** Aborts when nobody has called `expectWithin` again in time. The signal's reason is the error that was given then. */
export class Watchdog implements Disposable {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  expectWithin(timeoutMs: number, error: Error): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#controller.abort(error);
    }, timeoutMs);
  }

  /** For as long as it is our turn to do something. */
  expectNothing(): void {
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
