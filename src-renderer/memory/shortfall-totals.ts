/** How many tokens were computed again, by reason. */
import type { CacheState } from "../../src-main/contract/cache.ts";
import { shortfallKindSchema } from "../../src-main/contract/turn-report.ts";
import { shortfallReason } from "../chat/shortfall-text.ts";

export interface ShortfallTotal {
  readonly reason: string;
  readonly tokens: number;
}

/** Most tokens first. A reason that this page does not know stands as it came: never a guess. */
export function shortfallTotals(shortfalls: CacheState["shortfalls"]): readonly ShortfallTotal[] {
  return Object.entries(shortfalls)
    .filter(([kind, tokens]) => kind !== "none" && tokens > 0)
    .map(([kind, tokens]) => {
      const known = shortfallKindSchema.safeParse(kind);
      return { reason: known.success ? shortfallReason(known.data, null) : kind, tokens };
    })
    .sort((a, b) => b.tokens - a.tokens);
}
