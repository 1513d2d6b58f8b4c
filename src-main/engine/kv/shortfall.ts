import type { ResumeRule } from "../cache/reusable-tokens.ts";
import { blockTokens, endsBlock } from "./blocks-of.ts";
import type { KnownLosses, LossReason } from "./loss-log.ts";

type NeverStoredReason = Extract<LossReason, "too-short" | "over-budget" | "disk" | "cancelled">;

/** Why equal tokens had to be computed again; see shortfallOf for how each is told. */
type ShortfallCause =
  | { readonly kind: "none" }
  | { readonly kind: "evicted" }
  | { readonly kind: "never-stored"; readonly reason: NeverStoredReason }
  | { readonly kind: "store-damaged" }
  | { readonly kind: "store-stale" }
  | { readonly kind: "boundary" }
  | { readonly kind: "not-resumable" }
  | { readonly kind: "slower-than-computing" }
  | { readonly kind: "unknown" };

export type Shortfall = ShortfallCause & { readonly tokens: number };

export interface ShortfallInput {
  readonly prompt: readonly number[];
  /** How many were used again, from wherever. */
  readonly reusedTokens: number;
  /** The longest beginning of the prompt that is known to have been computed before, with this model and these settings. */
  readonly equalTokens: number;
  /** The longest beginning in place, whether or not the model can go on from there. */
  readonly residentTokens: number;
  /** The longest beginning in the store, as the index said when the turn began. */
  readonly storedTokens: number;
  /** The longest beginning that the store would have if it were not switched off. */
  readonly switchedOffTokens: number;
  /** The longest beginning that the store has, or had, for the same weights under other settings or another release. */
  readonly staleTokens: number;
  /** The plan left the store's tokens because computing them was cheaper. */
  readonly isRestoreDeclined: boolean;
  readonly rule: ResumeRule;
  /** Where a block ends beside the usual places; see blocksOf. */
  readonly boundaryTokens: number;
  readonly losses: KnownLosses;
}

/**
 * Tokens that were computed before and had to be computed again, not counting the prompt's last one, which always is.
 * The reason is that of the first of them, since nothing behind it could be used without it:
 *
 * - not-resumable: it was in place or in a snapshot, where the model cannot go on from.
 * - slower-than-computing: it was in the store, and left there.
 * - evicted, never-stored, store-damaged, store-stale: the log of losses says so.
 * - evicted: also when it left the cells for others and is in the store, which is switched off.
 * - boundary: the store's chain ends right before it with a whole block, less than a block is missing, and the log,
 *   which has forgotten nothing, knows no other reason: the rest of a block is stored late, and a process that was
 *   killed has not come to it.
 * - store-stale: also when the store has it under other settings or of another release.
 * - unknown: none of these can be shown.
 */
export function shortfallOf(input: ShortfallInput): Shortfall {
  const { prompt, reusedTokens, losses } = input;
  const stored = Math.max(input.storedTokens, input.switchedOffTokens, input.staleTokens);
  const seen = Math.max(input.equalTokens, input.residentTokens, stored);
  const known = Math.max(seen, reusedTokens + losses.lostFrom(prompt, reusedTokens));
  const tokens = Math.min(known, prompt.length - 1) - reusedTokens;
  return tokens > 0 ? { ...causeOf(input, tokens), tokens } : { kind: "none", tokens: 0 };
}

function causeOf(input: ShortfallInput, missing: number): ShortfallCause {
  const { prompt, reusedTokens, storedTokens, boundaryTokens, losses, rule } = input;
  const isSnapshotModel = rule.kind !== "anywhere";
  const reason = losses.reasonAt(prompt, reusedTokens);
  if (isSnapshotModel && input.residentTokens > reusedTokens) return { kind: "not-resumable" };
  if (storedTokens > reusedTokens && input.isRestoreDeclined) return { kind: "slower-than-computing" };
  // Where another snapshot has these tokens too, not the loss of one but where the other ends keeps them from being used.
  const isElsewhere = isSnapshotModel && storedTokens > reusedTokens;
  if (isElsewhere && (reason === null || reason === "evicted")) return { kind: "not-resumable" };
  if (reason !== null) return causeOfLoss(reason);
  if (input.switchedOffTokens > reusedTokens) return { kind: "evicted" };
  const endsWithBlock = storedTokens === reusedTokens && endsBlock(storedTokens, boundaryTokens);
  if (!isSnapshotModel && endsWithBlock && missing < blockTokens && !losses.hasForgotten) return { kind: "boundary" };
  if (input.staleTokens > reusedTokens) return { kind: "store-stale" };
  return { kind: "unknown" };
}

function causeOfLoss(reason: LossReason): ShortfallCause {
  switch (reason) {
    case "evicted":
    case "store-damaged":
    case "store-stale":
      return { kind: reason };
    case "too-short":
    case "over-budget":
    case "disk":
    case "cancelled":
      return { kind: "never-stored", reason };
  }
}
