import { PacedCalls } from "./paced-calls.ts";

const shortestPauseMs = 250;

/** Those who want to see something that changes. It owns them, and how often they are told. */
export class ChangeWatchers {
  readonly #watchers = new Set<() => void>();

  changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Sends what it is now and when it changed, not more often than four times a second, until the signal is aborted. */
  async watch<Value>(read: () => Value, send: (value: Value) => void, signal: AbortSignal): Promise<void> {
    const updates = new PacedCalls(shortestPauseMs, () => {
      send(read());
    });
    const watcher = () => {
      updates.request();
    };
    this.#watchers.add(watcher);
    watcher();
    await whenAborted(signal);
    this.#watchers.delete(watcher);
    updates[Symbol.dispose]();
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
}
