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
  const prompt: PromptMessage[] = [];
  for (const message of messages) {
    if (message.role === "assistant" && message.content === "") continue;
    const last = prompt.at(-1);
    if (last?.role !== "user" || message.role !== "user") prompt.push(message);
    else prompt.splice(-1, 1, { role: "user", content: `${last.content}\n\n${message.content}`, tokens: null });
  }
  return prompt;
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
