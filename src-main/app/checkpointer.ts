/**
 * Saves a growing text often enough: whatever was handed to a reader is on disk half a second later, also when the
 * process is killed. Nothing is saved sooner, so that nobody waits for the disk before the first words. A save that fails
 * loses nothing here: the text stays in memory, and the next one tries again.
 */
import { toRepriseError, type RepriseError } from "../contract/errors.ts";

const intervalMs = 500;

export class Checkpointer {
  readonly #save: () => void;
  readonly #onFailure: (error: RepriseError) => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(save: () => void, onFailure: (error: RepriseError) => void) {
    this.#save = save;
    this.#onFailure = onFailure;
  }

  grew(): void {
    this.#timer ??= setTimeout(() => {
      this.#saveNow();
    }, intervalMs);
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #saveNow(): void {
    this.end();
    try {
      this.#save();
    } catch (error) {
      this.#onFailure(toRepriseError(error));
    }
  }
}
