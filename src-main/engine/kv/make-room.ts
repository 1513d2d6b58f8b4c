import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import type { AdmissionRequest, AdmissionState } from "./admission-plan.ts";
import { activeSequence } from "./cell-ledger.ts";
import type { Base } from "./choose-base.ts";
import { scoreNow } from "./decayed-use.ts";
import { planEviction } from "./eviction.ts";
import type { PlanDraft } from "./plan-draft.ts";
import type { Resident } from "./resident.ts";

/** The active sequence's tokens go, but for those equal to the prompt's: the store may take them before. */
export function leave(draft: PlanDraft, active: Resident, equal: number): void {
  const { role, keptTokens, storedTokens } = active;
  if (role === "side" || keptTokens <= equal) return;
  if (storedTokens < keptTokens) draft.take({ kind: "store", from: storedTokens, to: keptTokens });
  draft.note({ resident: active, from: equal, to: keptTokens, reason: "replaced" });
}

/**
 * Parked cells are for the active conversation, and for what the active sequence does not hold too: a beginning that is
 * about to be restored a second time counts as held.
 */
export function releaseNeedless(draft: PlanDraft, { conversationId, prompt }: AdmissionRequest, base: Base): void {
  const replacesCells = base.restore?.from === 0;
  for (const resident of draft.parked) {
    if (resident.isPinned) continue;
    const { tokens, role } = resident;
    const equal = commonPrefixLength(tokens, prompt);
    const isOther = resident.conversationId !== conversationId;
    const isDuplicate = equal === tokens.length || (replacesCells && equal > 0);
    if (role === "chat" && !isOther && !isDuplicate) continue;
    draft.release(resident);
    const reason = isOther ? "other-conversation" : "duplicate";
    if (role === "chat") draft.note({ resident, from: equal, to: tokens.length, reason });
  }
}

export function evict(draft: PlanDraft, request: AdmissionRequest, state: AdmissionState): void {
  const { nowMs, halfLifeMs, maxParkedCells } = state;
  const isSide = request.kind === "side";
  const parked = draft.parked.map(({ sequence, use, isPinned, role }) => ({
    sequence,
    use: scoreNow(use, nowMs, halfLifeMs),
    lastUsedAtMs: use.atMs,
    isProtected: isPinned || (isSide && role === "chat"),
  }));
  const { ledger } = draft;
  const { drop } = planEviction(
    parked,
    { runs: ledger.runs(), free: ledger.counts.free },
    { freeCells: cellsToCome(draft, request), maxParkedCells: isSide ? Infinity : maxParkedCells },
  );
  for (const resident of draft.parked.filter(({ sequence }) => drop.includes(sequence))) {
    draft.release(resident);
    const from = commonPrefixLength(resident.tokens, request.prompt);
    if (resident.role === "chat") draft.note({ resident, from, to: resident.tokens.length, reason: "evicted" });
  }
}

/** Cells of the prompt and its answer that are not in place yet. */
export function cellsToCome({ ledger }: PlanDraft, { prompt, reserveTokens }: AdmissionRequest): number {
  return prompt.length + reserveTokens - ledger.lengthOf(activeSequence);
}
