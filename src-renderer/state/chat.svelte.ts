/**
 * The conversation of this window: which one is open, its thread, and what can be done with it. Owns the choices for
 * a conversation that is not begun yet, and which answer the inspector shows.
 */
import type { Sent } from "../../src-main/contract/app-contract.ts";
import type { ConversationPatch, Message } from "../../src-main/contract/conversation.ts";
import { newId } from "../../src-main/contract/id.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";
import type { Connection } from "./connection.svelte.ts";
import type { Drafts } from "./drafts.svelte.ts";
import type { Problems } from "./problems.svelte.ts";
import type { Route } from "./route.svelte.ts";
import type { SettingsState } from "./settings.svelte.ts";
import { Thread } from "./thread.svelte.ts";

/** Where the text for a conversation that is not begun yet is kept. */
const newConversationPlace = "new";

export function editPlace(messageId: string): string {
  return `edit-${messageId}`;
}

interface ChatParts {
  readonly connection: Connection;
  readonly problems: Problems;
  readonly drafts: Drafts;
  readonly route: Route;
  readonly settings: Pick<SettingsState, "current" | "update">;
}

export class Chat {
  #thread = $state.raw<Thread | null>(null);
  /** Given to the next conversation that is begun. */
  newConversation = $state.raw<ConversationPatch>({});
  /** Its id, known before it begins, so that its first message can be computed while it is typed. */
  #newConversationId = $state.raw(newId());
  inspectedMessageId = $state.raw<string | null>(null);
  /** The user's message that is being changed. */
  editedMessageId = $state.raw<string | null>(null);
  /** The answer that was just finished, for those who hear instead of see it. */
  lastFinished = $state.raw<Message | null>(null);
  #sending = false;
  readonly #connection: Connection;
  readonly #problems: Problems;
  readonly #drafts: Drafts;
  readonly #route: Route;
  readonly #settings: Pick<SettingsState, "current" | "update">;

  constructor(parts: ChatParts) {
    this.#connection = parts.connection;
    this.#problems = parts.problems;
    this.#drafts = parts.drafts;
    this.#route = parts.route;
    this.#settings = parts.settings;
  }

  readonly state = $derived.by(() => this.#thread?.state ?? null);
  /** The open conversation once it has arrived. */
  readonly ready = $derived.by(() => (this.state?.name === "ready" ? this.state : null));
  readonly place = $derived.by(() => this.#route.conversationId ?? newConversationPlace);

  /** A model other than the default one stays with the conversation when another is chosen for later ones. */
  readonly beginning = $derived.by((): ConversationPatch => ({
    modelId: this.#settings.current.modelId,
    ...this.newConversation,
  }));

  get newConversationId(): string {
    return this.#newConversationId;
  }

  /** Follows the address: to be called whenever it changes. */
  show(conversationId: string | null): void {
    if (this.#thread?.conversationId === conversationId) return;
    this.#thread?.close();
    this.inspectedMessageId = null;
    this.editedMessageId = null;
    this.lastFinished = null;
    this.#thread =
      conversationId === null
        ? null
        : new Thread(this.#connection, conversationId, (message) => {
            this.lastFinished = message;
          });
  }

  /** Sends what is typed; it stays a draft until main has it. */
  async sendDraft(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    this.#problems.clear();
    await this.#problems.attempt(this.#sendDraft());
    this.#sending = false;
  }

  /** Sends the changed text beside the message it replaces. */
  async sendEdit(message: Message): Promise<void> {
    const place = editPlace(message.id);
    const text = this.#drafts.take(place);
    this.#problems.clear();
    const { conversationId, parentId } = message;
    const arrived = await this.#problems.attempt(this.#send({ conversationId, text, parentId }));
    if (arrived) {
      this.#drafts.sent(place);
      this.editedMessageId = null;
    } else this.#drafts.failed(place);
  }

  startEdit(message: Message): void {
    const place = editPlace(message.id);
    const kept = this.#drafts.get(place);
    this.#drafts.set(place, kept === "" ? message.content : kept);
    this.editedMessageId = message.id;
  }

  cancelEdit(): void {
    if (this.editedMessageId !== null) this.#drafts.set(editPlace(this.editedMessageId), "");
    this.editedMessageId = null;
  }

  /** Another answer beside this one, or a first one where the message is the user's. */
  async regenerate(messageId: string): Promise<void> {
    await this.#problems.attempt(this.#connection.call((client) => client.chat.regenerate({ messageId })));
  }

  async stop(): Promise<void> {
    const generation = this.ready?.generation;
    if (generation === null || generation === undefined) return;
    const { generationId } = generation;
    await this.#problems.attempt(this.#connection.call((client) => client.chat.stop({ generationId })));
  }

  /** Makes the sibling `step` places away the active one. At the ends nothing happens. */
  async selectSibling(message: Message, step: -1 | 1): Promise<void> {
    const messageId = message.siblingIds[message.siblingIds.indexOf(message.id) + step];
    const { conversationId } = message;
    if (messageId === undefined) return;
    await this.#problems.attempt(
      this.#connection.call((client) => client.conversations.selectBranch({ conversationId, messageId })),
    );
  }

  /** Changes the open conversation, or what the next one begins with. Returns whether it was kept. */
  async configure(patch: ConversationPatch): Promise<boolean> {
    const conversationId = this.#route.conversationId;
    if (conversationId === null) {
      this.newConversation = { ...this.newConversation, ...patch };
      return true;
    }
    return this.update(conversationId, patch);
  }

  /** Answers of the open conversation come from this model; before it has begun, those of all new conversations. */
  async chooseModel(file: ModelFile): Promise<void> {
    const { conversationId } = this.#route;
    if (conversationId === null) await this.#settings.update({ modelId: file.isDefault ? null : file.id });
    else {
      const input = { conversationId, modelId: file.id };
      await this.#problems.attempt(this.#connection.call((client) => client.chat.switchModel(input)));
    }
  }

  async update(conversationId: string, patch: ConversationPatch): Promise<boolean> {
    return this.#problems.attempt(
      this.#connection.call((client) => client.conversations.update({ conversationId, patch })),
    );
  }

  async delete(conversationId: string): Promise<void> {
    const deleted = await this.#problems.attempt(
      this.#connection.call((client) => client.conversations.delete({ conversationId })),
    );
    if (!deleted) return;
    this.#drafts.set(conversationId, "");
    if (this.#route.conversationId === conversationId) this.#route.open(null, true);
  }

  /** The open conversation, which begins where it has not yet; what is typed for it is its draft then. */
  async beginDrafted(): Promise<string> {
    return this.#route.conversationId ?? (await this.#begin());
  }

  async #sendDraft(): Promise<void> {
    const conversationId = await this.beginDrafted();
    const text = this.#drafts.take(conversationId);
    try {
      await this.#send({ conversationId, text });
      this.#drafts.sent(conversationId);
    } catch (caught) {
      this.#drafts.failed(conversationId);
      throw caught;
    }
  }

  /** The conversation is there, and open, before its first message: a failed sending then finds its draft in it. */
  async #begin(): Promise<string> {
    const values = { id: this.#newConversationId, ...this.beginning };
    const { id } = await this.#connection
      .call((client) => client.conversations.create(values))
      .finally(() => {
        // Also where it failed, since it may have begun all the same.
        this.#newConversationId = newId();
      });
    this.newConversation = {};
    this.#drafts.move(newConversationPlace, id);
    this.#route.open(id);
    return id;
  }

  #send(input: { conversationId: string; text: string; parentId?: string | null }): Promise<Sent> {
    return this.#connection.call((client) => client.chat.send(input));
  }
}
