import { commonPrefixLength } from "./cache/reusable-tokens.ts";
import { withAnswer } from "./generation/generate-turn.ts";
import { computeStep } from "./idle/compute-step.ts";
import type { IdlePrompt } from "./idle/idle-step.ts";
import type { ModelSession } from "./model-session.ts";

/** A template that writes more than the few usual tokens there is not paid for in advance. */
const mostClosingTokens = 32;

/**
 * The last message is an answer that is in place. Computes what comes behind it whatever the next message says: the last
 * token, and the words that end an answer and open a message. So they need not be computed when somebody waits. Where the
 * template writes the answer in another way, or there is no room, nothing is done. Throws TEMPLATE_FAILED, ENGINE_FAILED.
 */
export async function closeAnswer(session: ModelSession, prompt: IdlePrompt): Promise<void> {
  const { cache, contextTokens } = session;
  // Others cannot be taken back to the answer's end, should somebody want that.
  if (cache.parts.rule.kind !== "anywhere") return;
  const tokens = session.prompts.settled(prompt.messages, prompt.tools);
  const { length } = cache.cells;
  const missing = tokens.length - length;
  const isBehind = commonPrefixLength(cache.cells.tokens, tokens) === length;
  // No context grows for a message that may never come.
  const isRoom = withAnswer(tokens.length, contextTokens) <= contextTokens;
  if (!isBehind || missing < 1 || missing > mostClosingTokens || !isRoom) return;
  await computeStep(session, prompt, { tokens, isDraft: false });
}
