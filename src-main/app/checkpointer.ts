/**
 * Saves a growing text often enough: whatever was handed to a reader is on disk half a second later, also when the
 * process is killed. A save that fails loses nothing here: the text stays in memory, and the next one tries again.
 */
import { toRepriseError, type RepriseError } from "../contract/errors.ts";

const intervalMs = 500;

export class Checkpointer {
  readonly #save: () => void;
  readonly #onFailure: (error: RepriseError) => void;
  #savedAt = performance.now();
  #timer: NodeJS.Timeout | null = null;

  constructor(save: () => void, onFailure: (error: RepriseError) => void) {
    this.#save = save;
    this.#onFailure = onFailure;
  }

  /** The text has grown. Saves at once where the last save is long ago: before the growth is told to anyone. */
  grew(): void {
    const dueMs = this.#savedAt + intervalMs - performance.now();
    if (dueMs <= 0) this.#saveNow();
    else
      this.#timer ??= setTimeout(() => {
        this.#saveNow();
      }, dueMs);
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #saveNow(): void {
    this.end();
    this.#savedAt = performance.now();
    try {
      this.#save();
    } catch (error) {
      this.#onFailure(toRepriseError(error));
    }
  }
}
