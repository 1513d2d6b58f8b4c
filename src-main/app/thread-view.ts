/** Conversations as they are shown: what is stored, and over it what only memory knows of answers being written. */
import type { Conversation, ConversationSummary, Message, Thread } from "../contract/conversation.ts";
import type { Store, StoredConversation, StoredSummary } from "./ports.ts";
import type { RunningAnswers } from "./running-answer.ts";
import type { UnsavedAnswers } from "./unsaved-answers.ts";

interface Dependencies {
  readonly store: Store;
  readonly running: RunningAnswers;
  readonly unsaved: UnsavedAnswers;
}

export class ThreadView {
  readonly #store: Store;
  readonly #running: RunningAnswers;
  readonly #unsaved: UnsavedAnswers;

  constructor({ store, running, unsaved }: Dependencies) {
    this.#store = store;
    this.#running = running;
    this.#unsaved = unsaved;
  }

  list(): ConversationSummary[] {
    return this.#store.conversations.list().map((stored) => this.#withState(stored));
  }

  conversation(conversationId: string): Conversation {
    return this.#withState(this.#store.conversations.get(conversationId));
  }

  thread(conversationId: string): Thread {
    const conversation = this.conversation(conversationId);
    const messages = this.#store.messages.activePath(conversationId).map((message) => this.#current(message));
    return { conversation, messages };
  }

  #withState<Stored extends StoredConversation | StoredSummary>(stored: Stored): Stored & { generating: boolean } {
    return { ...stored, generating: this.#running.of(stored.id) !== null };
  }

  #current(message: Message): Message {
    const answer = this.#running.of(message.conversationId);
    if (answer?.message.id === message.id) return { ...message, content: answer.text };
    const unsaved = this.#unsaved.shown(message.id);
    return unsaved === null ? message : { ...unsaved, siblingIds: message.siblingIds };
  }
}
