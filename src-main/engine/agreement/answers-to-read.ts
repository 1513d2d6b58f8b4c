import type { PromptMessage } from "../../contract/engine-contract.ts";
import { spells } from "../generation/spelled-tokens.ts";
import type { ModelSession } from "../model-session.ts";
import type { SessionPrompts } from "../session-prompts.ts";

/** An answer behind the prompt it answered. */
export interface AnswerToRead {
  /** Its place among the messages. */
  readonly message: number;
  /** The prompt's tokens, then its own. */
  readonly chain: readonly number[];
  readonly answerStart: number;
}

/** Whether the message is an answer whose tokens are known and of this model's vocabulary. */
export function isReadable(
  { tokenizer }: Pick<ModelSession, "tokenizer">,
  message: PromptMessage | undefined,
): boolean {
  const { role, content, tokens = null } = message ?? {};
  return role === "assistant" && tokens !== null && spells(content ?? "", tokens, tokenizer);
}

/**
 * The answer with its prompt as the model would be asked it: each by itself, since a template may take out of earlier
 * answers what it leaves in the last one. Throws TEMPLATE_FAILED.
 */
export function answerToRead(
  prompts: SessionPrompts,
  messages: readonly PromptMessage[],
  message: number,
): AnswerToRead {
  const prompt = prompts.probe(messages.slice(0, message));
  return { message, chain: [...prompt, ...(messages[message]?.tokens ?? [])], answerStart: prompt.length };
}
