import type { PromptMessage } from "../contract/engine-contract.ts";
import type { MessageStore, StoredConversation } from "./ports.ts";

/** Where the messages end, and what stands before them. */
type PromptEnd = Pick<StoredConversation, "activeLeafId" | "systemPrompt">;

/**
 * The prompt as templates want it. An answer that was stopped before its first word, or failed, says nothing and would
 * teach the model to say nothing; without it two messages of the user follow each other, which many templates refuse,
 * so they become one.
 */
export function withoutEmptyAnswers(messages: readonly PromptMessage[]): PromptMessage[] {
  const spoken = messages.filter(({ role, content }) => role !== "assistant" || content !== "");
  return spoken.reduce<PromptMessage[]>((prompt, message) => {
    const last = prompt.at(-1);
    if (last?.role !== "user" || message.role !== "user") return [...prompt, message];
    const joined: PromptMessage = { role: "user", content: `${last.content}\n\n${message.content}`, tokens: null };
    return [...prompt.slice(0, -1), joined];
  }, []);
}

/** What is said already on the active path, with the system prompt; empty where nothing is. */
export function promptSoFar(messages: MessageStore, conversation: PromptEnd): PromptMessage[] {
  return withoutEmptyAnswers(storedPrompt(messages, conversation));
}

/** The prompt that sending `text` at the end of the active path would make. */
export function promptWithDraft(messages: MessageStore, conversation: PromptEnd, text: string): PromptMessage[] {
  const draft: PromptMessage = { role: "user", content: text, tokens: null };
  return withoutEmptyAnswers([...storedPrompt(messages, conversation), draft]);
}

function storedPrompt(messages: MessageStore, { activeLeafId, systemPrompt }: PromptEnd): PromptMessage[] {
  if (activeLeafId !== null) return messages.prompt(activeLeafId);
  return systemPrompt === "" ? [] : [{ role: "system", content: systemPrompt, tokens: null }];
}
