/** Tells everybody who looks at a conversation, or at the list of them, what happened to it. */
import type { ChatEvent, ConversationListEvent } from "../contract/app-contract.ts";
import type { Conversation, Message } from "../contract/conversation.ts";
import type { ModelSwitch } from "../contract/model-switch.ts";
import { ChatWatch } from "./chat-watch.ts";
import { EventHub } from "./event-hub.ts";
import type { RunningAnswer, RunningAnswers } from "./running-answer.ts";
import type { ThreadView } from "./thread-view.ts";

const listBacklog = 256;

interface Sources {
  readonly view: ThreadView;
  readonly running: RunningAnswers;
  readonly switching: (conversationId: string) => ModelSwitch | null;
}

export class ConversationFeed {
  readonly #view: ThreadView;
  readonly #switching: Sources["switching"];
  readonly #chats: ChatWatch;
  readonly #list: EventHub<ConversationListEvent>;

  constructor({ view, running, switching }: Sources) {
    this.#view = view;
    this.#switching = switching;
    this.#chats = new ChatWatch({
      assertExists: (conversationId) => {
        view.conversation(conversationId);
      },
      thread: (conversationId) => view.thread(conversationId),
      generation: (conversationId) => running.of(conversationId)?.generation ?? null,
      switching,
    });
    this.#list = new EventHub<ConversationListEvent>({
      snapshot: () => ({ type: "all", conversations: view.list() }),
      backlogLimit: listBacklog,
    });
  }

  watchList(signal?: AbortSignal): AsyncIteratorObject<ConversationListEvent, undefined> {
    return this.#list.watch(signal);
  }

  watchChat(conversationId: string, signal?: AbortSignal): AsyncIteratorObject<ChatEvent, undefined> {
    return this.#chats.watch(conversationId, signal);
  }

  /** Its title, settings or state changed, and not its messages. */
  conversationChanged(conversationId: string): void {
    const conversation = this.#view.conversation(conversationId);
    this.#chats.publish(conversationId, { type: "conversation", conversation });
    this.#listChanged(conversation);
  }

  /** How far its switch to another model is. */
  switching(conversationId: string): void {
    this.#chats.publish(conversationId, { type: "switching", switching: this.#switching(conversationId) });
  }

  /** Another path is active, whatever it has in common with the one before: costs every reader the whole thread. */
  threadChanged(conversationId: string): void {
    this.#chats.refresh(conversationId);
    this.#listChanged(this.#view.conversation(conversationId));
  }

  /** The active path ends in `added` and this answer now, which were stored just now. */
  answering({ message, generation }: RunningAnswer, added: readonly Message[]): void {
    const conversation = this.#view.conversation(message.conversationId);
    const messages = [...added, message];
    const afterMessageId = (added[0] ?? message).parentId;
    this.#chats.publish(conversation.id, { type: "path", conversation, afterMessageId, messages, generation });
    this.#listChanged(conversation);
  }

  deleted(conversationId: string): void {
    this.#chats.deleted(conversationId);
    this.#list.publish({ type: "deleted", conversationId });
  }

  phase(answer: RunningAnswer): void {
    this.#chats.publish(answer.message.conversationId, { type: "phase", generation: answer.generation });
  }

  delta({ generationId, message }: RunningAnswer, text: string): void {
    this.#chats.publish(message.conversationId, { type: "delta", generationId, messageId: message.id, text });
  }

  finished(answer: RunningAnswer, message: Message): void {
    this.#chats.finished(message.conversationId, answer.generationId, message);
    this.conversationChanged(message.conversationId);
  }

  end(): void {
    this.#chats.end();
    this.#list.end();
  }

  #listChanged({ id, title, modelId, createdAt, updatedAt, pinned, archived, generating }: Conversation): void {
    const conversation = { id, title, modelId, createdAt, updatedAt, pinned, archived, generating };
    this.#list.publish({ type: "changed", conversation });
  }
}
