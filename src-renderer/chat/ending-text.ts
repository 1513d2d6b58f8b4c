import type { Message } from "../../src-main/contract/conversation.ts";
import { formatCount } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

/** Why an answer ended where a reader would not expect it, or `null` where it simply ended. */
export function endingText(message: Message): string | null {
  if (message.status === "failed") return message.error === null ? m.ended_failed() : null;
  const reason = message.report?.stopReason;
  if (reason === "context-full") {
    return m.ended_context_full({ tokens: formatCount(message.report?.context.sizeTokens ?? 0) });
  }
  if (reason === "length") return m.ended_length({ tokens: formatCount(message.report?.outputTokens ?? 0) });
  if (message.status !== "stopped") return null;
  return message.content === "" ? m.ended_stopped_empty() : m.ended_stopped();
}
