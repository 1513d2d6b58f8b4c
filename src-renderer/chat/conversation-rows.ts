/** The conversation list as the flat rows that a virtual list needs. */
import type { ConversationSummary } from "../../src-main/contract/conversation.ts";
import type { ConversationGroup, GroupName } from "./conversation-groups.ts";

export type ConversationRow =
  | { readonly kind: "group"; readonly key: string; readonly name: GroupName }
  | { readonly kind: "conversation"; readonly key: string; readonly conversation: ConversationSummary };

export function conversationRows(groups: readonly ConversationGroup[]): readonly ConversationRow[] {
  return groups.flatMap(({ name, conversations }) => [
    { kind: "group" as const, key: name.kind === "month" ? `month-${name.time}` : name.kind, name },
    ...conversations.map((conversation) => ({ kind: "conversation" as const, key: conversation.id, conversation })),
  ]);
}

/** The index of the nearest conversation before or after `index`, or `null` at the end of the list. */
export function neighbour(rows: readonly ConversationRow[], index: number, step: -1 | 1): number | null {
  for (let next = index + step; next >= 0 && next < rows.length; next += step) {
    if (rows[next]?.kind === "conversation") return next;
  }
  return null;
}
