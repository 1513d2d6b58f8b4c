import type { ConversationListEvent } from "../../src-main/contract/app-contract.ts";
import type { ConversationSummary } from "../../src-main/contract/conversation.ts";

/** The list after an event: most recently used first. */
export function reduceConversationList(
  list: readonly ConversationSummary[],
  event: ConversationListEvent,
): readonly ConversationSummary[] {
  switch (event.type) {
    case "all":
      return event.conversations.toSorted(byLastUse);
    case "changed":
      return [...list.filter(({ id }) => id !== event.conversation.id), event.conversation].toSorted(byLastUse);
    case "deleted":
      return list.filter(({ id }) => id !== event.conversationId);
  }
}

function byLastUse(one: ConversationSummary, other: ConversationSummary): number {
  return other.updatedAt - one.updatedAt || (one.id < other.id ? -1 : 1);
}
