import type { PromptMessage, Tool } from "../../contract/engine-contract.ts";
import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import type { PromptTokens } from "./prompt-tokens.ts";

type Builder = Pick<PromptTokens, "build">;

/** Words that begin with tokens of their own, whatever stands before them: the first takes the space before it along. */
const probes = ["the", "7"] as const;

/**
 * What a prompt begins with whatever the first message says: the system prompt, tools that are written before a message,
 * and the words that open it.
 */
export function systemTokens(messages: readonly PromptMessage[], tools: readonly Tool[], prompts: Builder): number {
  const system = messages[0]?.role === "system" ? messages.slice(0, 1) : [];
  const [one = [], other = []] = probes.map(
    (content) => prompts.build([...system, { role: "user", content, tokens: null }], tools).tokens,
  );
  return commonPrefixLength(one, other);
}

/** What every prompt begins with that goes on from these messages, the last of which is an answer. */
export function settledTokens(messages: readonly PromptMessage[], tools: readonly Tool[], prompts: Builder): number[] {
  const [one = [], other = []] = probes.map(
    (content) => prompts.build([...messages, { role: "user", content, tokens: null }], tools).tokens,
  );
  return one.slice(0, commonPrefixLength(one, other));
}

/**
 * The beginning of the prompt that is sure to stay while its last message goes on being typed: up to the last word that
 * is finished.
 */
export function draftTokens(messages: readonly PromptMessage[], prompts: Builder): number[] {
  const draft = messages.at(-1);
  if (draft?.role !== "user") return [];
  const words = draft.content.replace(/\s*\S*$/u, "");
  const [one = [], other = []] = probes.map((word) => {
    const content = words === "" ? word : `${words} ${word}`;
    return prompts.build([...messages.slice(0, -1), { role: "user", content, tokens: null }]).tokens;
  });
  // A line break may be one token with what stands before it: what is typed already tells.
  const typed = prompts.build(messages).tokens;
  return one.slice(0, Math.min(commonPrefixLength(one, other), commonPrefixLength(one, typed)));
}
