/** The origin bar: where the keys and values of every token of a turn came from. */
import type { TurnReport } from "../../src-main/contract/turn-report.ts";

/** In the order in which they are drawn: what other turns left, then what this one computed and wrote. */
export const origins = ["shared", "resident", "store", "computed", "generated"] as const;
export type Origin = (typeof origins)[number];

export interface OriginSegment {
  readonly origin: Origin;
  readonly tokens: number;
  /** Of all tokens of the turn. */
  readonly fraction: number;
}

type CountedTokens = Pick<TurnReport, "fromResident" | "fromStore" | "fromShared" | "prefilled" | "outputTokens">;

export function originTokens(report: CountedTokens): Readonly<Record<Origin, number>> {
  return {
    shared: report.fromShared,
    resident: report.fromResident,
    store: report.fromStore,
    computed: report.prefilled,
    generated: report.outputTokens,
  };
}

/** Without the origins that had no tokens. Empty where a turn ended before its first token. */
export function originSegments(report: CountedTokens): readonly OriginSegment[] {
  const tokensOf = originTokens(report);
  const total = origins.reduce((sum, origin) => sum + tokensOf[origin], 0);
  return origins.flatMap((origin) => {
    const tokens = tokensOf[origin];
    return tokens === 0 ? [] : [{ origin, tokens, fraction: tokens / total }];
  });
}

/** Prompt tokens that were not computed in this turn. */
export function reusedTokens(report: Pick<TurnReport, "fromResident" | "fromStore" | "fromShared">): number {
  return report.fromResident + report.fromStore + report.fromShared;
}
