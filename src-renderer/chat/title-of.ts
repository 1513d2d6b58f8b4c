import { m } from "../paraglide/messages.js";

/** A conversation has no title before its first message. */
export function titleOf(conversation: { readonly title: string } | null): string {
  return conversation === null || conversation.title === "" ? m.untitled() : conversation.title;
}
