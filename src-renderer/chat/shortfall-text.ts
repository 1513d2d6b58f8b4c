/** What was known from before and had to be computed all the same, and why. */
import type { ShortfallKind, TurnShortfall } from "../../src-main/contract/turn-report.ts";
import { formatCount, formatDuration } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

type NeverStoredReason = NonNullable<TurnShortfall["reason"]>;

/** One sentence; `null` where everything that was known was used. */
export function shortfallText(shortfall: TurnShortfall | null): string | null {
  if (shortfall === null || shortfall.kind === "none" || shortfall.tokens === 0) return null;
  const { kind, lostMs, reason, tokens } = shortfall;
  const parts = { time: formatDuration(lostMs), reason: shortfallReason(kind, reason) };
  return tokens === 1 ? m.shortfall_one(parts) : m.shortfall_tokens({ ...parts, tokens: formatCount(tokens) });
}

/** The reason in a few words. `reason`: of `never-stored`. */
export function shortfallReason(kind: ShortfallKind, reason: NeverStoredReason | null): string {
  switch (kind) {
    case "none":
      return m.shortfall_none();
    case "evicted":
      return m.shortfall_evicted();
    case "never-stored":
      return reason === null ? m.shortfall_never_stored() : neverStoredReason(reason);
    case "store-damaged":
      return m.shortfall_store_damaged();
    case "store-stale":
      return m.shortfall_store_stale();
    case "boundary":
      return m.shortfall_boundary();
    case "not-resumable":
      return m.shortfall_not_resumable();
    case "slower-than-computing":
      return m.shortfall_slower_than_computing();
    case "unknown":
      return m.shortfall_unknown();
  }
}

function neverStoredReason(reason: NeverStoredReason): string {
  switch (reason) {
    case "too-short":
      return m.shortfall_too_short();
    case "over-budget":
      return m.shortfall_over_budget();
    case "disk":
      return m.shortfall_disk();
    case "cancelled":
      return m.shortfall_cancelled();
  }
}
