import type { PromptMessage } from "../../src-main/contract/engine-contract.ts";

/** A message of a prompt; `tokens` only for answers the engine wrote. */
export function message(
  role: PromptMessage["role"],
  content: string,
  tokens: readonly number[] | null = null,
): PromptMessage {
  return { role, content, tokens: tokens === null ? null : [...tokens] };
}
