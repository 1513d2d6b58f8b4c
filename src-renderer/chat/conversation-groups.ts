/** How the conversation list is divided: by the day of last use, then by month. */
import type { ConversationSummary } from "../../src-main/contract/conversation.ts";

export type GroupName =
  | { readonly kind: "today" }
  | { readonly kind: "yesterday" }
  /** The six days before yesterday's day. */
  | { readonly kind: "last-days" }
  /** `time`: a moment in that month. */
  | { readonly kind: "month"; readonly time: number };

export interface ConversationGroup {
  readonly name: GroupName;
  readonly conversations: readonly ConversationSummary[];
}

/** `conversations`: most recently used first. `now`: milliseconds since 1970; days begin at local midnight. */
export function groupConversations(conversations: readonly ConversationSummary[], now: number): ConversationGroup[] {
  const groups: { name: GroupName; conversations: ConversationSummary[] }[] = [];
  for (const conversation of conversations) {
    const name = groupName(conversation.updatedAt, now);
    const last = groups.at(-1);
    if (last !== undefined && isSameGroup(last.name, name)) last.conversations.push(conversation);
    else groups.push({ name, conversations: [conversation] });
  }
  return groups;
}

function groupName(time: number, now: number): GroupName {
  const daysAgo = calendarDay(now) - calendarDay(time);
  if (daysAgo <= 0) return { kind: "today" };
  if (daysAgo === 1) return { kind: "yesterday" };
  if (daysAgo <= 7) return { kind: "last-days" };
  return { kind: "month", time };
}

/** Days since 1970 by the local calendar, so that a day with a clock change counts as one. */
function calendarDay(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;
}

export function isSameDay(one: number, other: number): boolean {
  return calendarDay(one) === calendarDay(other);
}

function isSameGroup(one: GroupName, other: GroupName): boolean {
  if (one.kind !== "month" || other.kind !== "month") return one.kind === other.kind;
  const [a, b] = [new Date(one.time), new Date(other.time)];
  return a.getFullYear() === b.getFullYear() && a.getMonth() === b.getMonth();
}
