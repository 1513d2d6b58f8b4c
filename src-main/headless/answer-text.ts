import type { ChatEvent } from "../contract/app-contract.ts";
import type { Message } from "../contract/conversation.ts";

/**
 * The text an event adds to what was shown of one answer. A whole thread, a new end of it and the finished message carry
 * the text from its start, so what a reader missed or has seen already shows in the length.
 */
export function addedText(event: ChatEvent, messageId: string, shownCharacters: number): string {
  switch (event.type) {
    case "delta":
      return event.messageId === messageId ? event.text : "";
    case "finished":
      return event.message.id === messageId ? event.message.content.slice(shownCharacters) : "";
    case "thread":
      return restOf(event.thread.messages, messageId, shownCharacters);
    case "path":
      return restOf(event.messages, messageId, shownCharacters);
    case "phase":
    case "conversation":
    case "switching":
    case "deleted":
      return "";
  }
}

function restOf(messages: readonly Message[], messageId: string, shownCharacters: number): string {
  return messages.find(({ id }) => id === messageId)?.content.slice(shownCharacters) ?? "";
}
