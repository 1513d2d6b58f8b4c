/** How long a download that breaks off is tried again. */

/** Tries in a row that brought nothing new. */
const fruitlessTries = 5;
/** Whoever asks to be left alone for longer is believed: the person decides when to ask again. */
const longestWaitMs = 60_000;

export class DownloadPatience {
  readonly #retryDelayMs: number;
  #mostBytes: number;
  #hasBrought = false;
  #fruitless = 0;

  /** `doneBytes`: what there is before the first try. */
  constructor(retryDelayMs: number, doneBytes: number) {
    this.#retryDelayMs = retryDelayMs;
    this.#mostBytes = doneBytes;
  }

  /**
   * After a try: milliseconds to wait before the next, or `null` to give up. Where nothing has come at all, the first
   * failure is the answer: nobody should wait for a source that is not there.
   */
  waitMs(doneBytes: number, retryAfterSeconds: number | null): number | null {
    const isFruitful = doneBytes > this.#mostBytes;
    this.#mostBytes = Math.max(doneBytes, this.#mostBytes);
    this.#hasBrought ||= isFruitful;
    this.#fruitless = isFruitful ? 0 : this.#fruitless + 1;
    if (!this.#hasBrought || this.#fruitless === fruitlessTries) return null;
    const wantedMs = Math.max(this.#retryDelayMs * 2 ** this.#fruitless, (retryAfterSeconds ?? 0) * 1_000);
    return wantedMs > longestWaitMs ? null : wantedMs;
  }
}
