import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import type { ModelSession } from "../model-session.ts";
import { computeStep } from "./compute-step.ts";
import { nothingToDo, type IdlePrompt, type IdleStep } from "./idle-step.ts";

/** Computes the next chunk of an answer as the template will write it in the next prompt, which begins with `tokens`. */
export async function restateStep(
  session: ModelSession,
  prompt: IdlePrompt,
  tokens: readonly number[],
): Promise<IdleStep> {
  const { cache } = session;
  const { stream } = cache.parts;
  const { active } = stream;
  const equal = commonPrefixLength(stream.cells.tokens, tokens);
  if (active.conversationId !== prompt.conversationId || equal === stream.cells.length) return nothingToDo;
  stream.active = { ...active, keptTokens: Math.min(active.keptTokens, equal) };
  return await computeStep(session, prompt, { tokens, isDraft: false });
}
