/**
 * Answers that are finished but could not be stored, because the disk is full for instance. Their text lives here and
 * nowhere else, so it is tried again and again, and shown as if it were stored meanwhile.
 */
import type { Message } from "../contract/conversation.ts";
import { errorView, toRepriseError } from "../contract/errors.ts";
import type { AnswerEnd, MessageStore } from "./ports.ts";

const retryMs = 5_000;

interface Unsaved {
  readonly message: Message;
  readonly end: AnswerEnd;
}

export class UnsavedAnswers {
  readonly #store: MessageStore;
  readonly #onSaved: (message: Message) => void;
  readonly #byMessage = new Map<string, Unsaved>();
  #timer: NodeJS.Timeout | null = null;

  constructor(store: MessageStore, onSaved: (message: Message) => void) {
    this.#store = store;
    this.#onSaved = onSaved;
  }

  /** Takes an answer that could not be stored because of `reason`. Returns how it is shown. */
  keep(row: Message, end: AnswerEnd, reason: unknown): Message {
    const message: Message = {
      ...row,
      content: end.content,
      status: "failed",
      error: errorView(toRepriseError(reason)),
      report: end.report,
    };
    this.#byMessage.set(row.id, { message, end });
    this.#timer ??= setInterval(() => {
      this.retry();
    }, retryMs).unref();
    return message;
  }

  shown(messageId: string): Message | null {
    return this.#byMessage.get(messageId)?.message ?? null;
  }

  retry(): void {
    for (const [messageId, { end }] of this.#byMessage) {
      try {
        const message = this.#store.finish(messageId, end);
        this.#byMessage.delete(messageId);
        this.#onSaved(message);
      } catch (caught) {
        // Deleted meanwhile: there is nothing left to save it to. Anything else may be over the next time.
        if (toRepriseError(caught).code === "NOT_FOUND") this.#byMessage.delete(messageId);
      }
    }
    if (this.#byMessage.size === 0) this.end();
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
