import type { Draft } from "../contract/draft.ts";
import { RepriseError } from "../contract/errors.ts";
import type { Store, StoredConversation } from "./ports.ts";

/** What a prompt is made of beside its messages, and where these end. */
export type DraftedConversation = Pick<
  StoredConversation,
  "id" | "modelId" | "systemPrompt" | "overflowPolicy" | "activeLeafId"
>;

/**
 * The draft's conversation: as it is stored, else as it is going to begin. It ends where the draft would be sent to.
 * Throws NOT_FOUND.
 */
export function draftedConversation(
  { conversations, messages }: Pick<Store, "conversations" | "messages">,
  { conversationId: id, parentId, newConversation }: Draft,
): DraftedConversation {
  const stored = conversations.find(id);
  if (stored === null && newConversation !== undefined) {
    const { modelId = null, systemPrompt = "", overflowPolicy = "ask" } = newConversation;
    return { id, modelId, systemPrompt, overflowPolicy, activeLeafId: null };
  }
  const conversation = stored ?? conversations.get(id);
  if (parentId === undefined) return conversation;
  if (parentId !== null && messages.get(parentId).conversationId !== id) {
    const sentence = "The message to go on from belongs to another conversation. What you wrote is kept.";
    throw new RepriseError("NOT_FOUND", sentence, { what: "message", id: parentId });
  }
  return { ...conversation, activeLeafId: parentId };
}
