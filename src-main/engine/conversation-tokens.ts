import type { PromptMessage } from "../contract/engine-contract.ts";
import type { SessionPrompts } from "./session-prompts.ts";

/**
 * What every prompt begins with that goes on from these messages; where the last of them waits for its answer, the prompt
 * for that. Throws TEMPLATE_FAILED.
 */
export function conversationTokens(prompts: SessionPrompts, messages: readonly PromptMessage[]): readonly number[] {
  if (messages.length === 0) return [];
  return messages.at(-1)?.role === "user" ? prompts.probe(messages) : prompts.settled(messages);
}
