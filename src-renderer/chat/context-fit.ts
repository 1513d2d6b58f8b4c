/** Whether a message still fits into the context, and what fills it. */
import type { CacheState, Residency } from "../../src-main/contract/cache.ts";

export type Fit =
  | { readonly name: "fits" }
  /** It can be sent, but its answer has little room. */
  | { readonly name: "tight"; readonly leftTokens: number }
  | { readonly name: "too-long"; readonly excessTokens: number };

/** An answer of fewer tokens than this is likely to be cut. */
const answerTokens = 128;

export function contextFit(size: { readonly promptTokens: number; readonly contextTokens: number }): Fit {
  const leftTokens = size.contextTokens - size.promptTokens;
  if (leftTokens <= 0) return { name: "too-long", excessTokens: 1 - leftTokens };
  return leftTokens < answerTokens ? { name: "tight", leftTokens } : { name: "fits" };
}

/** What a part of the prompt would cost if it were sent now. */
export type GaugePart = Residency["state"] | "computed" | "unknown";

export interface GaugeSegment {
  readonly part: GaugePart;
  readonly tokens: number;
}

/**
 * The used part of the context by where its tokens are. `cache`: what is known of the cache; `null`: nothing yet, so
 * nothing is said of it. The conversation's tokens come first in the prompt, so a residency covers its beginning.
 */
export function gaugeSegments(
  usedTokens: number,
  residency: Pick<Residency, "state" | "tokens"> | null,
  cache: CacheState | null,
): readonly GaugeSegment[] {
  if (cache === null) return usedTokens === 0 ? [] : [{ part: "unknown", tokens: usedTokens }];
  const known = residency === null ? 0 : Math.min(residency.tokens, usedTokens);
  const segments: readonly GaugeSegment[] = [
    { part: residency?.state ?? "computed", tokens: known },
    { part: "computed", tokens: usedTokens - known },
  ];
  return segments.filter(({ tokens }) => tokens > 0);
}
