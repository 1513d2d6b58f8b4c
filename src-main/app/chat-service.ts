/**
 * Sending, answering again, stopping. What the user wrote is stored before anything else happens; from then on there is
 * always a row for the answer, and whatever goes wrong is told there. At most one answer a conversation at a time.
 */
import type { Sent } from "../contract/app-contract.ts";
import type { Message } from "../contract/conversation.ts";
import { RepriseError } from "../contract/errors.ts";
import type { AheadOfUser } from "./ahead-of-user.ts";
import type { AnswerWriter } from "./answer-writer.ts";
import type { ConversationFeed } from "./conversation-feed.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ModelSwitches } from "./model-switches.ts";
import type { Store, StoredConversation } from "./ports.ts";
import { RunningAnswer, type RunningAnswers } from "./running-answer.ts";
import { titleFromMessage } from "./title.ts";
import type { UnsavedAnswers } from "./unsaved-answers.ts";

interface Dependencies {
  readonly store: Store;
  readonly models: ModelChoice;
  readonly writer: AnswerWriter;
  readonly running: RunningAnswers;
  readonly unsaved: UnsavedAnswers;
  readonly feed: ConversationFeed;
  readonly ahead: AheadOfUser;
  readonly switches: ModelSwitches;
}

interface NewMessage {
  readonly conversationId: string;
  readonly text: string;
  /** Absent: the end of the active path. */
  readonly parentId?: string | null | undefined;
}

export class ChatService {
  readonly #parts: Dependencies;
  #isClosing = false;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Throws NOT_FOUND, ALREADY_GENERATING, STORAGE_FAILED; what goes wrong later is told in the answer. */
  send({ conversationId, text, parentId }: NewMessage): Sent {
    const { store, unsaved } = this.#parts;
    this.#assertFree(conversationId);
    unsaved.retry();
    const conversation = store.conversations.get(conversationId);
    const parent = parentId === undefined ? conversation.activeLeafId : parentId;
    if (parent !== null) this.#assertWithin(conversationId, parent);
    const message = store.messages.addUserMessage({ conversationId, parentId: parent, content: text });
    return this.#answer(conversation, message, [message]);
  }

  /** Another answer beside `messageId`, or one to it where it is the user's. Throws as `send` does. */
  regenerate(messageId: string): Sent {
    const { store, unsaved } = this.#parts;
    const message = store.messages.get(messageId);
    this.#assertFree(message.conversationId);
    unsaved.retry();
    const question =
      message.role === "user" || message.parentId === null ? message : store.messages.get(message.parentId);
    return this.#answer(store.conversations.get(message.conversationId), question, []);
  }

  /** Resolves when the answer has ended and is stored. One that is over already is no error. */
  async stop(generationId: string): Promise<void> {
    await this.#stop(this.#parts.running.find(generationId));
  }

  async stopConversation(conversationId: string): Promise<void> {
    await this.#stop(this.#parts.running.of(conversationId));
  }

  /** Stops everything that is being written, and takes nothing new. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#parts.running.all().map((answer) => this.#stop(answer)));
  }

  async #stop(answer: RunningAnswer | null): Promise<void> {
    if (answer === null) return;
    answer.stop();
    await answer.ended;
  }

  /** `added`: the question, where it was stored just now. */
  #answer(conversation: StoredConversation, question: Message, added: readonly Message[]): Sent {
    const { running, writer, feed, ahead, switches } = this.#parts;
    const conversationId = conversation.id;
    ahead.answering(conversationId);
    // The answer does the rest, and tells how far it is.
    switches.cancel(conversationId);
    const answer = this.#begin(conversation, question);
    running.add(answer);
    void writer.write(answer, conversation);
    feed.answering(answer, added);
    const { generationId, message } = answer;
    return { conversationId, userMessageId: question.id, messageId: message.id, generationId };
  }

  #begin(conversation: StoredConversation, question: Message): RunningAnswer {
    const { store, models, feed } = this.#parts;
    const { id: conversationId, modelId } = conversation;
    try {
      this.#giveTitle(conversation, question);
      const signature = models.signatureFor(modelId);
      return new RunningAnswer(store.messages.addAnswer({ conversationId, parentId: question.id, ...signature }));
    } catch (caught) {
      // The question may be stored: it is there, and can be answered when the disk is well again.
      feed.threadChanged(conversationId);
      throw caught;
    }
  }

  #giveTitle({ id, title: current }: StoredConversation, { content }: Message): void {
    const title = current === "" ? titleFromMessage(content) : "";
    if (title !== "") this.#parts.store.conversations.update(id, { title });
  }

  #assertFree(conversationId: string): void {
    if (this.#isClosing) {
      throw new RepriseError("ENGINE_STOPPED", "Reprise is closing, so nothing was sent. Start it again to go on.", {});
    }
    if (this.#parts.running.of(conversationId) === null) return;
    const sentence =
      "An answer is still being written in this conversation. Wait for it to end, or stop it, then send again.";
    throw new RepriseError("ALREADY_GENERATING", sentence, { conversationId });
  }

  #assertWithin(conversationId: string, messageId: string): void {
    if (this.#parts.store.messages.get(messageId).conversationId === conversationId) return;
    const sentence = "The message to go on from belongs to another conversation. Nothing was sent.";
    throw new RepriseError("NOT_FOUND", sentence, { what: "message", id: messageId });
  }
}
