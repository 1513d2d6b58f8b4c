/** What happens to a message that does not fit, as the conversation's policy has it. */
import type { Conversation } from "../../src-main/contract/conversation.ts";
import { errorDataSchemas, type ErrorView } from "../../src-main/contract/errors.ts";
import { formatCount, formatWholeDuration } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

export type OverflowPolicy = Conversation["overflowPolicy"];

interface Overflow {
  readonly promptTokens: number;
  readonly contextTokens: number;
  /** Measured with the last answer; `null` where it computed nothing. */
  readonly prefillTokensPerSecond: number | null;
}

/** One or two sentences. Of leaving out turns, the most that it may cost is named: what is left is computed again. */
export function overflowText(policy: OverflowPolicy, overflow: Overflow): string {
  const parts = { prompt: formatCount(overflow.promptTokens), context: formatCount(overflow.contextTokens) };
  switch (policy) {
    case "ask":
      return m.overflow_will_ask(parts);
    case "stop":
      return m.overflow_will_stop(parts);
    case "drop-oldest": {
      const rate = overflow.prefillTokensPerSecond;
      if (rate === null) return m.overflow_will_drop(parts);
      return m.overflow_will_drop_in({ ...parts, time: formatWholeDuration((1_000 * overflow.contextTokens) / rate) });
    }
  }
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
