import type { PromptSize } from "../contract/draft.ts";
import type { PromptMessage } from "../contract/engine-contract.ts";
import { isRoomFor } from "./generation/generate-turn.ts";
import { longestPrefix } from "./kv/resident.ts";
import { prefillMs } from "./kv/reuse-costs.ts";
import type { ModelSession } from "./model-session.ts";

/** What a prompt would fill, and what it would cost if it were sent now. Throws TEMPLATE_FAILED. */
export function promptSize(session: ModelSession, messages: readonly PromptMessage[]): PromptSize {
  return sizeOfTokens(session, session.prompts.probe(messages));
}

/** The same of a prompt's tokens. */
export function sizeOfTokens(session: ModelSession, prompt: readonly number[]): PromptSize {
  const { cache, limitTokens } = session;
  const { tiers, rule, measured } = cache.parts;
  const residentTokens = longestPrefix(prompt, tiers.residents, rule)?.length ?? 0;
  const storedTokens = tiers.match(prompt)?.length ?? 0;
  const reusedTokens = Math.max(residentTokens, storedTokens);
  return {
    promptTokens: prompt.length,
    contextTokens: limitTokens,
    isFitting: isRoomFor(prompt.length, limitTokens),
    residentTokens,
    storedTokens,
    computeMs: measured.knowsPrefill ? prefillMs(cache.costs, reusedTokens, prompt.length) : null,
  };
}
