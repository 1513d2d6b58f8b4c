/**
 * One piece of work at a time, in the order they came. It owns who is working and who waits. Work whose signal is
 * aborted while it waits is never started, and its caller does not wait for those before it.
 */
export class TurnQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when its turn comes. `{ started: false }` where the signal was aborted before that. */
  async run<Result>(
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<{ readonly started: true; readonly result: Result } | { readonly started: false }> {
    const before = this.#last;
    const turn = Promise.withResolvers<undefined>();
    this.#last = before.then(() => turn.promise);
    try {
      await Promise.race([before, whenAborted(signal)]);
      if (signal.aborted) return { started: false };
      return { started: true, result: await work() };
    } finally {
      turn.resolve(undefined);
    }
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        "abort",
        () => {
          resolve();
        },
        { once: true },
      );
  });
}
