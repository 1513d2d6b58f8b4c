/**
 * Work on the newest of many values: begun after a pause in their changes, one piece at a time. Owns the pause, the
 * value that waits and the piece that runs; a value that was followed by another before its turn came is dropped.
 */
interface LatestParts<Value> {
  readonly pauseMs: number;
  /** Begun at the latest after so long, though the values go on changing; absent: not before the pause. */
  readonly longestMs?: number;
  /** Must not reject. */
  readonly work: (value: Value, signal: AbortSignal) => Promise<void>;
  /** Whether what runs is of no use any more now that `next` has come; else it is let finish first. */
  readonly isOutdated: (running: Value, next: Value) => boolean;
}

export class Latest<Value> {
  readonly #parts: LatestParts<Value>;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #waiting: { readonly value: Value; readonly sinceMs: number } | null = null;
  #running: { readonly value: Value; readonly stop: AbortController } | null = null;

  constructor(parts: LatestParts<Value>) {
    this.#parts = parts;
  }

  /** `isUrgent`: without waiting for a pause. */
  set(value: Value, isUrgent = false): void {
    const { pauseMs, longestMs = Infinity } = this.#parts;
    const sinceMs = this.#waiting?.sinceMs ?? Date.now();
    this.#waiting = { value, sinceMs };
    this.#endPause();
    if (this.#running !== null && this.#parts.isOutdated(this.#running.value, value)) this.#running.stop.abort();
    if (isUrgent) {
      this.#begin();
      return;
    }
    const leftMs = Math.max(0, sinceMs + longestMs - Date.now());
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#begin();
      },
      Math.min(pauseMs, leftMs),
    );
  }

  /** Drops what waits and stops what runs. */
  clear(): void {
    this.#waiting = null;
    this.#endPause();
    this.#running?.stop.abort();
  }

  #endPause(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #begin(): void {
    if (this.#running !== null || this.#waiting === null) return;
    const running = { value: this.#waiting.value, stop: new AbortController() };
    this.#waiting = null;
    this.#running = running;
    void this.#parts.work(running.value, running.stop.signal).then(() => {
      this.#running = null;
      if (this.#timer === null) this.#begin();
    });
  }
}
