/** Creating, changing and deleting conversations. */
import type { Conversation, ConversationPatch, NewConversation, Thread } from "../contract/conversation.ts";
import { RepriseError } from "../contract/errors.ts";
import type { AheadOfUser } from "./ahead-of-user.ts";
import type { CacheKeeping } from "./cache-keeping.ts";
import type { ChatService } from "./chat-service.ts";
import type { ConversationFeed } from "./conversation-feed.ts";
import type { ModelFamilies } from "./model-families.ts";
import type { ModelSwitches } from "./model-switches.ts";
import type { Store } from "./ports.ts";
import type { ThreadView } from "./thread-view.ts";

interface Dependencies {
  readonly store: Store;
  readonly view: ThreadView;
  readonly feed: ConversationFeed;
  readonly chat: ChatService;
  readonly ahead: AheadOfUser;
  readonly switches: ModelSwitches;
  readonly cache: CacheKeeping;
  readonly families: ModelFamilies;
}

export class Conversations {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** With what its model's family begins with, where nothing else is given. Without a title it gets one from its first message. Throws INVALID_INPUT where its id is taken. */
  async create(values: NewConversation): Promise<Conversation> {
    const { store, view, feed, cache, families } = this.#parts;
    const beginning = await families.beginning(values.modelId ?? null);
    if (values.id !== undefined && store.conversations.find(values.id) !== null) {
      const reason = `there is a conversation ${values.id} already`;
      throw new RepriseError("INVALID_INPUT", "This conversation has begun already. Nothing was changed.", { reason });
    }
    const { id } = store.conversations.create({
      ...values,
      systemPrompt: values.systemPrompt ?? beginning.systemPrompt,
      sampling: values.sampling ?? beginning.sampling,
    });
    if (values.pinned === true) cache.pinsChanged();
    feed.conversationChanged(id);
    return view.conversation(id);
  }

  /** What has begun keeps what it has; before that, another model brings what its family begins with. */
  async update(conversationId: string, patch: ConversationPatch): Promise<Conversation> {
    const { store, view, feed, cache, families } = this.#parts;
    const isNew = () => patch.modelId !== undefined && store.conversations.get(conversationId).activeLeafId === null;
    const changed = isNew() ? await families.withModelChanged(store.conversations.get(conversationId), patch) : patch;
    // It may have begun meanwhile.
    store.conversations.update(conversationId, isNew() ? changed : patch);
    if (patch.pinned !== undefined) cache.pinsChanged();
    feed.conversationChanged(conversationId);
    return view.conversation(conversationId);
  }

  /** Its answers are another model's from now on; it is put in place under that in the background. Throws NOT_FOUND. */
  async switchModel(conversationId: string, modelId: string): Promise<Conversation> {
    const { store, view, feed, switches, families } = this.#parts;
    const before = store.conversations.get(conversationId);
    switches.begin(conversationId, modelId);
    const changed = before.activeLeafId === null ? await families.withModelChanged(before, { modelId }) : {};
    // It may have begun meanwhile.
    if (store.conversations.get(conversationId).activeLeafId === null)
      store.conversations.update(conversationId, changed);
    feed.conversationChanged(conversationId);
    return view.conversation(conversationId);
  }

  /** Stops its answer first, so that nothing writes to what is gone. */
  async delete(conversationId: string): Promise<void> {
    const { store, feed, chat, ahead, switches, cache } = this.#parts;
    await chat.stopConversation(conversationId);
    switches.cancel(conversationId);
    store.conversations.delete(conversationId);
    ahead.deleted(conversationId);
    cache.forget(conversationId);
    feed.deleted(conversationId);
  }

  selectBranch(conversationId: string, messageId: string): Thread {
    const { store, view, feed } = this.#parts;
    if (store.messages.get(messageId).conversationId !== conversationId) {
      const sentence = "This message belongs to another conversation.";
      throw new RepriseError("NOT_FOUND", sentence, { what: "message", id: messageId });
    }
    store.conversations.setActiveLeaf(conversationId, store.messages.newestLeaf(messageId));
    feed.threadChanged(conversationId);
    return view.thread(conversationId);
  }
}
