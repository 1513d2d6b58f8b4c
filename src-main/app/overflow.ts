import type { PromptMessage } from "../contract/engine-contract.ts";
import { RepriseError, type ErrorData } from "../contract/errors.ts";

/** Share of the context that is left free for the answer when turns are dropped. */
const roomForAnswer = 0.25;

type Overflow = ErrorData<"CONTEXT_FULL">;

/** How much too long the prompt was, where `caught` says that it was; else `null`. */
export function overflowOf(caught: unknown): Overflow | null {
  const isOverflow = caught instanceof RepriseError && caught.code === "CONTEXT_FULL";
  return isOverflow ? (caught as RepriseError<"CONTEXT_FULL">).data : null;
}

/**
 * The prompt without its oldest turns, so many of them that the rest should fit with room for an answer; `null` where
 * only the system prompt and the message to be answered are left. Tokens are estimated from the text's length: the
 * engine counts again, and this is asked again where it was too little.
 */
export function dropOldestTurns(messages: readonly PromptMessage[], overflow: Overflow): PromptMessage[] | null {
  const system = messages.filter(({ role }) => role === "system");
  const turns = messages.filter(({ role }) => role !== "system");
  const totalLength = messages.reduce((total, { content }) => total + content.length, 0);
  const excess = overflow.promptTokens - overflow.contextTokens * (1 - roomForAnswer);
  const toDrop = totalLength * Math.max(0, excess / overflow.promptTokens);

  // A turn begins with a user's message, so only there may the rest begin.
  const starts = turns.flatMap(({ role }, index) => (role === "user" && index > 0 ? [index] : []));
  const lengthBefore = (index: number) =>
    turns.slice(0, index).reduce((total, { content }) => total + content.length, 0);
  const start = starts.find((index) => lengthBefore(index) >= toDrop) ?? starts.at(-1);
  return start === undefined ? null : [...system, ...turns.slice(start)];
}
