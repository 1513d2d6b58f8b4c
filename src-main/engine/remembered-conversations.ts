import type { KvStore } from "./kv/kv-store.ts";
import type { PromptHistory } from "./kv/prompt-history.ts";

/**
 * Of which something is left: blocks, why there are none any more, or what was asked. What is only in the cells is not
 * meant: a draft of a conversation that is not begun is there too. `store`: `null` before one was opened.
 */
export function rememberedConversations(store: KvStore | null, history: PromptHistory): string[] {
  const ids = new Set<string | null>(history.conversationIds);
  for (const { conversationId } of store?.storedBlocks ?? []) ids.add(conversationId);
  for (const { conversationId, savedConversationId } of store?.evictions ?? [])
    ids.add(conversationId).add(savedConversationId);
  for (const conversationId of store?.lostBlocks.conversationIds ?? []) ids.add(conversationId);
  return [...ids].filter((id) => id !== null);
}
