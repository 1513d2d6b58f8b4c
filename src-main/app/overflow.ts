/** What is left out of a prompt that does not fit. Lengths stand for tokens: the engine counts, this only estimates. */
import type { PromptMessage } from "../contract/engine-contract.ts";
import { RepriseError, type ErrorData } from "../contract/errors.ts";

/** Share of the context that is left free for the answer when turns are dropped. */
const roomForAnswer = 0.25;
/** Share below which the turns dropped before are no longer enough. */
const leastRoom = 0.1;

type Overflow = ErrorData<"CONTEXT_FULL">;

/** How much too long the prompt was, where `caught` says that it was; else `null`. */
export function overflowOf(caught: unknown): Overflow | null {
  const isOverflow = caught instanceof RepriseError && caught.code === "CONTEXT_FULL";
  return isOverflow ? (caught as RepriseError<"CONTEXT_FULL">).data : null;
}

interface ShorterPrompt {
  readonly messages: readonly PromptMessage[];
  readonly droppedMessages: number;
}

const lengthOf = (messages: readonly PromptMessage[]) =>
  messages.reduce((total, { content }) => total + content.length, 0);

/**
 * The prompt without its oldest turns, so many of them that the rest should fit with room for an answer; `null` where
 * only the system prompt and the message to be answered are left. It begins at the first of the places where it began
 * before (`droppedBefore` messages later) that is enough, so that what is computed of it stays of use. The engine counts
 * again, and this is asked again where it was too little.
 */
export function dropOldestTurns(
  messages: readonly PromptMessage[],
  { promptTokens, contextTokens }: Pick<Overflow, "promptTokens" | "contextTokens">,
  droppedBefore: readonly number[] = [],
): ShorterPrompt | null {
  const system = messages.filter(({ role }) => role === "system");
  const turns = messages.filter(({ role }) => role !== "system");
  const tokensAfter = (dropped: number) =>
    promptTokens * (1 - lengthOf(turns.slice(0, dropped)) / Math.max(1, lengthOf(messages)));
  // A turn begins with a user's message, so only there may the rest begin.
  const starts = turns.flatMap(({ role }, index) => (role === "user" && index > 0 ? [index] : []));
  const start =
    droppedBefore.find((index) => starts.includes(index) && tokensAfter(index) <= contextTokens * (1 - leastRoom)) ??
    starts.find((index) => tokensAfter(index) <= contextTokens * (1 - roomForAnswer)) ??
    starts.at(-1);
  return start === undefined ? null : { messages: [...system, ...turns.slice(start)], droppedMessages: start };
}
