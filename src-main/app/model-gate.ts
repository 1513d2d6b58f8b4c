/**
 * Whose model is in the engine. Answers of the same model share it; one of another model waits until they have ended.
 * First come, first served, so that nobody waits for ever. It decides only: loading is done by who was let in.
 */
import { abortable } from "./abortable.ts";

interface Waiting {
  readonly path: string;
  readonly admit: () => void;
}

/** Somebody inside who goes when asked to. */
interface Guest {
  readonly leave: () => void;
  /** Aborts when an answer of another model waits. */
  readonly wanted: AbortSignal;
}

export class ModelGate {
  #path: string | null = null;
  #inside = 0;
  readonly #queue: Waiting[] = [];
  readonly #guests = new Set<AbortController>();
  #change = Promise.withResolvers<undefined>();

  /** Resolves with the function to call on leaving. Rejects with the signal's reason when it aborts before. */
  enter(path: string, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#queue.splice(this.#queue.indexOf(entry), 1);
        reject(signal.reason as Error);
        this.#admit();
      };
      const entry: Waiting = {
        path,
        admit: () => {
          signal.removeEventListener("abort", giveUp);
          resolve(() => {
            this.#inside -= 1;
            this.#admit();
          });
        },
      };
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      signal.addEventListener("abort", giveUp, { once: true });
      this.#queue.push(entry);
      this.#admit();
    });
  }

  /** Resolves when who needs this model is in nobody's way. Rejects with the signal's reason when it aborts before. */
  async whenOpenFor(path: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (this.#queue.length > 0 || !this.#isOpenFor(path)) await abortable(this.#change.promise, signal);
  }

  /** For what can do without: `null` where answers of another model are in the way. Other guests are sent away. */
  async enterAsGuest(path: string, signal: AbortSignal): Promise<Guest | null> {
    const isOpen = this.#isOpenFor(path) || this.#inside === this.#guests.size;
    if (this.#queue.length > 0 || !isOpen) return null;
    const leaveGate = await this.enter(path, signal);
    const guest = new AbortController();
    this.#guests.add(guest);
    if (this.#queue.length > 0) guest.abort();
    const leave = () => {
      this.#guests.delete(guest);
      leaveGate();
    };
    return { leave, wanted: guest.signal };
  }

  /** After every change. */
  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined && this.#isOpenFor(next.path); next = this.#queue[0]) {
      this.#queue.shift();
      this.#path = next.path;
      this.#inside += 1;
      next.admit();
    }
    if (this.#queue.length > 0) for (const guest of this.#guests) guest.abort();
    this.#change.resolve(undefined);
    this.#change = Promise.withResolvers();
  }

  #isOpenFor(path: string): boolean {
    return this.#inside === 0 || this.#path === path;
  }
}
