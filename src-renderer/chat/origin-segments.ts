/** The origin bar: where the keys and values of every token of a turn came from. */
import type { TurnReport } from "../../src-main/contract/turn-report.ts";

/** In the order in which they follow each other in a turn. */
export type Origin = "resident" | "computed" | "generated";

export interface OriginSegment {
  readonly origin: Origin;
  readonly tokens: number;
  /** Of all tokens of the turn. */
  readonly fraction: number;
}

/** Without the origins that had no tokens. Empty where a turn ended before its first token. */
export function originSegments(
  report: Pick<TurnReport, "fromResident" | "prefilled" | "outputTokens">,
): readonly OriginSegment[] {
  const counts: readonly (readonly [Origin, number])[] = [
    ["resident", report.fromResident],
    ["computed", report.prefilled],
    ["generated", report.outputTokens],
  ];
  const total = counts.reduce((sum, [, tokens]) => sum + tokens, 0);
  return counts.flatMap(([origin, tokens]) => (tokens === 0 ? [] : [{ origin, tokens, fraction: tokens / total }]));
}
