/**
 * Puts the open conversation in place: once for each conversation and loaded model, and again when an answer was in the
 * way and has ended. Owns which one it is about and how that went; every attempt follows a change, none a timer.
 */
interface Situation {
  /** The open conversation, where its model is loaded; else `null`. */
  readonly conversationId: string | null;
  /** No answer is being written anywhere. */
  readonly isQuiet: boolean;
}

export class Warming {
  /** Resolves with whether an answer was in the way. */
  readonly #warm: (conversationId: string) => Promise<boolean>;
  #conversationId: string | null = null;
  #state: "under-way" | "interrupted" | "done" = "done";
  /** How often it has become quiet. */
  #quietings = 0;

  constructor(warm: (conversationId: string) => Promise<boolean>) {
    this.#warm = warm;
  }

  /** To be called whenever the situation has changed. */
  see({ conversationId, isQuiet }: Situation): void {
    if (conversationId !== this.#conversationId) {
      this.#conversationId = conversationId;
      if (conversationId !== null) void this.#attempt(conversationId);
    } else if (isQuiet && conversationId !== null) {
      if (this.#state === "interrupted") void this.#attempt(conversationId);
      else this.#quietings += 1;
    }
  }

  async #attempt(conversationId: string): Promise<void> {
    this.#state = "under-way";
    const quietings = this.#quietings;
    const isInterrupted = await this.#warm(conversationId);
    if (this.#conversationId !== conversationId) return;
    this.#state = isInterrupted ? "interrupted" : "done";
    if (isInterrupted && this.#quietings > quietings) await this.#attempt(conversationId);
  }
}
