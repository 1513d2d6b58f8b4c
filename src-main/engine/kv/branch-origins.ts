import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import type { Placement } from "./placement.ts";
import { isSameComputation, isSameMessage, type PromptRecord } from "./prompt-record.ts";
import type { RememberedPrompt } from "./stored-prompt.ts";
import { ownersBetween } from "./token-owners.ts";

export type PlacedOrigins = Pick<Placement, "fromResident" | "fromStore" | "fromShared" | "preparedTokens">;

/**
 * Where a prompt's tokens come from, its conversation's other branches told apart. Cells and blocks know the conversation
 * that computed them; the branch is told by what is remembered of it: a token is another branch's where every turn that is
 * known to have computed it asked, or answered, another message there than this prompt has. What comes before two branches
 * part belongs to both. Where no turn is known, the conversation's tokens are its own.
 */
export function branchOrigins(
  placement: Placement,
  earlier: readonly RememberedPrompt[],
  prompt: PromptRecord,
): PlacedOrigins {
  const { reusedTokens, owner, owners, restored } = placement;
  const isOthers = othersTokens(earlier, prompt, reusedTokens);
  const restoredFrom = Math.min(restored?.from ?? reusedTokens, reusedTokens);
  const shared = { fromResident: 0, fromStore: 0 };
  let start = 0;
  for (const span of ownersBetween(owners, 0, reusedTokens)) {
    const end = start + span.tokens;
    for (let at = start; at < end && span.owner === owner; at += 1)
      if (isOthers[at] === true) shared[at < restoredFrom ? "fromResident" : "fromStore"] += 1;
    start = end;
  }
  const fromResident = placement.fromResident - shared.fromResident;
  return {
    fromResident,
    fromStore: placement.fromStore - shared.fromStore,
    fromShared: placement.fromShared + shared.fromResident + shared.fromStore,
    preparedTokens: Math.min(placement.preparedTokens, fromResident),
  };
}

/** Of each of the first tokens, whether turns of other branches computed it, and none of this one. */
function othersTokens(earlier: readonly RememberedPrompt[], prompt: PromptRecord, length: number): readonly boolean[] {
  const isOthers = Array.from({ length }, () => false);
  const own: { from: number; to: number }[] = [];
  for (const { record, computed } of earlier) {
    if (!isSameComputation(record, prompt)) continue;
    const equal = commonPrefixLength(record.tokens, prompt.tokens);
    const to = Math.min(equal, computed.to, length);
    const fork = equal === record.tokens.length ? Infinity : forkOf(record, prompt);
    own.push({ from: computed.from, to: Math.min(to, fork) });
    if (fork < to) isOthers.fill(true, Math.max(fork, computed.from), to);
  }
  for (const { from, to } of own) if (from < to) isOthers.fill(false, from, to);
  return isOthers;
}

/** Where an earlier turn's messages part from a prompt's; the words that open an answer are those of any answer there. */
function forkOf({ messages, answerStart, promptTokens }: PromptRecord, prompt: PromptRecord): number {
  const parting = messages.findIndex((message, index) => {
    const now = prompt.messages[index];
    return now === undefined || !isSameMessage(message, now);
  });
  const message = messages[parting];
  if (message === undefined || parting >= prompt.messages.length) return Infinity;
  return message.start === answerStart ? promptTokens : message.start;
}
