/** An answer that is being written: its text so far and its phase, of which the store knows only checkpoints. */
import type { Generation } from "../contract/app-contract.ts";
import type { Message } from "../contract/conversation.ts";
import { newId } from "../contract/id.ts";

export class RunningAnswer {
  readonly generationId = newId();
  /** The answer's row as it was created. */
  readonly message: Message;
  readonly #stopping = new AbortController();
  readonly #ended = Promise.withResolvers<undefined>();
  #phase: Generation["phase"] = { name: "queued" };
  #text = "";

  constructor(message: Message) {
    this.message = message;
  }

  get text(): string {
    return this.#text;
  }

  get generation(): Generation {
    return { generationId: this.generationId, messageId: this.message.id, phase: this.#phase };
  }

  /** Aborts when somebody asked for an end. */
  get stopSignal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Resolves when the answer is over and stored. */
  get ended(): Promise<undefined> {
    return this.#ended.promise;
  }

  enter(phase: Generation["phase"]): void {
    this.#phase = phase;
  }

  append(text: string): void {
    this.#text += text;
  }

  stop(): void {
    this.#stopping.abort();
  }

  end(): void {
    this.#ended.resolve(undefined);
  }
}

/** The answers being written now: at most one a conversation. */
export class RunningAnswers {
  readonly #byConversation = new Map<string, RunningAnswer>();

  of(conversationId: string): RunningAnswer | null {
    return this.#byConversation.get(conversationId) ?? null;
  }

  find(generationId: string): RunningAnswer | null {
    return this.all().find((answer) => answer.generationId === generationId) ?? null;
  }

  all(): RunningAnswer[] {
    return [...this.#byConversation.values()];
  }

  /** Resolves when none is being written. */
  async allEnded(): Promise<void> {
    while (this.#byConversation.size > 0) await Promise.all(this.all().map(({ ended }) => ended));
  }

  add(answer: RunningAnswer): void {
    this.#byConversation.set(answer.message.conversationId, answer);
  }

  remove(answer: RunningAnswer): void {
    this.#byConversation.delete(answer.message.conversationId);
  }
}
