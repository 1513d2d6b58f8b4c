import type { App } from "./app.svelte.ts";
import { editPlace } from "./chat.svelte.ts";
import type { TypedDraft } from "./draft-ahead.svelte.ts";

type Parts = Pick<App, "chat" | "connection" | "drafts" | "route">;

/** The message that is being typed, where it could be sent now: of an edit and a new message the one typed into last. */
export function typedDraft(app: Parts): TypedDraft | null {
  const { chat, connection } = app;
  if (connection.state.name !== "open" || (chat.ready?.generation ?? null) !== null) return null;
  const draft = editDraft(app) ?? newDraft(app);
  return draft === null || draft.text.trim() === "" ? null : draft;
}

function editDraft({ chat, drafts }: Parts): TypedDraft | null {
  const edited = chat.ready?.messages.find(({ id }) => id === chat.editedMessageId);
  if (edited === undefined || drafts.latestPlace === chat.place) return null;
  const place = editPlace(edited.id);
  const { conversationId, parentId } = edited;
  return { place, conversationId, parentId, text: drafts.get(place) };
}

function newDraft({ chat, drafts, route }: Parts): TypedDraft | null {
  const { place } = chat;
  const text = drafts.get(place);
  if (route.conversationId === null) {
    return { place, conversationId: chat.newConversationId, newConversation: chat.beginning, text };
  }
  return chat.ready === null ? null : { place, conversationId: chat.ready.conversation.id, text };
}
