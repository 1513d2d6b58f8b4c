import type { TurnDivergence, TurnShortfall } from "../../contract/turn-report.ts";
import type { ResumeRule } from "../cache/reusable-tokens.ts";
import { divergenceOf } from "./divergence.ts";
import type { KnownLosses } from "./loss-log.ts";
import type { Placement } from "./placement.ts";
import type { PromptHistory } from "./prompt-history.ts";
import { nearestPrompt, type PromptRecord } from "./prompt-record.ts";
import { shortfallOf } from "./shortfall.ts";

export interface TurnFacts {
  readonly conversationId: string;
  readonly record: PromptRecord;
  /** Answers are among the messages, so there were turns before, whether or not anybody remembers. */
  readonly hasAnswers: boolean;
  readonly history: PromptHistory;
  readonly placement: Placement;
  readonly computed: { readonly tokens: number; readonly elapsedMs: number };
  readonly rule: ResumeRule;
  readonly losses: KnownLosses;
  readonly boundaryTokens: number;
  readonly switchedOffTokens: number;
  readonly staleTokens: number;
  readonly textOf: (tokens: readonly number[]) => string;
}

/** What changed against the nearest earlier prompt; `null` where there was one that nobody remembers. */
export function explainDivergence({
  conversationId,
  record,
  history,
  hasAnswers,
  textOf,
}: TurnFacts): TurnDivergence | null {
  const earlier = nearestPrompt(history.of(conversationId), record);
  if (earlier === null && hasAnswers) return null;
  const { kind, tokenIndex, before, after, replaced } = divergenceOf(earlier, record, { textOf });
  return { kind, tokenIndex, before: textOf(before), after: textOf(after), replaced: textOf(replaced) };
}

/** What had been computed before and was computed again, and why. */
export function explainShortfall(facts: TurnFacts): TurnShortfall {
  const { record, placement, computed } = facts;
  const { available, reusedTokens } = placement;
  const shortfall = shortfallOf({
    prompt: record.tokens,
    reusedTokens,
    equalTokens: facts.history.computedBefore(record),
    ...available,
    switchedOffTokens: facts.switchedOffTokens,
    staleTokens: facts.staleTokens,
    rule: facts.rule,
    boundaryTokens: facts.boundaryTokens,
    losses: facts.losses,
  });
  // A prefill that was stopped has not computed all of them.
  const tokens = Math.min(shortfall.tokens, computed.tokens);
  const msPerToken = computed.tokens === 0 ? 0 : computed.elapsedMs / computed.tokens;
  return {
    kind: tokens === 0 ? "none" : shortfall.kind,
    reason: shortfall.kind === "never-stored" && tokens > 0 ? shortfall.reason : null,
    tokens,
    lostMs: tokens * msPerToken,
  };
}
