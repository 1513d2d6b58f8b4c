/** What happens to a message that does not fit, as the conversation's policy has it. */
import type { Conversation } from "../../src-main/contract/conversation.ts";
import { errorDataSchemas, type ErrorView } from "../../src-main/contract/errors.ts";
import { formatCount, formatWholeDuration } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";
import type { Fit } from "./context-fit.ts";

export type OverflowPolicy = Conversation["overflowPolicy"];

interface Overflow {
  readonly promptTokens: number;
  readonly contextTokens: number;
  /** There is something to leave out. */
  readonly hasEarlierTurns: boolean;
}

type Shortened = Extract<Fit, { name: "shortened" }>;

/** One or two sentences about a message that does not fit, whatever is left out. */
export function overflowText(policy: OverflowPolicy, { hasEarlierTurns, ...overflow }: Overflow): string {
  const parts = sizes(overflow);
  if (!hasEarlierTurns || policy === "drop-oldest") return m.overflow_too_long(parts);
  return policy === "ask" ? m.overflow_will_ask(parts) : m.overflow_will_stop(parts);
}

/** The same about one that fits when old messages are left out: what that costs is named. */
export function shortenedText(
  size: Omit<Overflow, "hasEarlierTurns">,
  { droppedMessages, computedTokens, computeMs }: Shortened,
): string {
  const messages = formatCount(droppedMessages);
  const parts = { ...sizes(size), messages, tokens: formatCount(computedTokens) };
  if (computeMs === null) return m.overflow_will_drop(parts);
  return m.overflow_will_drop_in({ ...parts, time: formatWholeDuration(computeMs) });
}

function sizes({ promptTokens, contextTokens }: Omit<Overflow, "hasEarlierTurns">) {
  return { prompt: formatCount(promptTokens), context: formatCount(contextTokens) };
}

export function overflowPolicyName(policy: OverflowPolicy): string {
  switch (policy) {
    case "ask":
      return m.overflow_ask();
    case "drop-oldest":
      return m.overflow_drop_oldest();
    case "stop":
      return m.overflow_stop();
  }
}

/** Whether leaving out the oldest turns could help an answer that failed with this. */
export function canDropOldest(error: ErrorView | null): boolean {
  if (error?.code !== "CONTEXT_FULL") return false;
  const data = errorDataSchemas.CONTEXT_FULL.safeParse(error.data);
  return data.success && data.data.droppableMessages !== 0;
}
