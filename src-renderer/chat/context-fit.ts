/** Whether a message still fits into the context, and what fills it. */
import type { CacheState, Residency } from "../../src-main/contract/cache.ts";
import type { DraftSize, PromptSize } from "../../src-main/contract/draft.ts";

export type Fit =
  | { readonly name: "fits" }
  /** It can be sent, but its answer has little room. */
  | { readonly name: "tight"; readonly leftTokens: number }
  /** Old messages are left out that were not before, so the rest is computed from another beginning. */
  | {
      readonly name: "shortened";
      readonly droppedMessages: number;
      readonly computedTokens: number;
      readonly computeMs: number | null;
    }
  | { readonly name: "too-long" };

/** An answer of fewer tokens than this is likely to be cut. */
const answerTokens = 128;

export function contextFit(size: DraftSize): Fit {
  const { shortened } = size;
  if (shortened !== null && !shortened.isSameCut) {
    const { droppedMessages, promptTokens, residentTokens, storedTokens, computeMs } = shortened;
    const computedTokens = promptTokens - Math.max(residentTokens, storedTokens);
    return { name: "shortened", droppedMessages, computedTokens, computeMs };
  }
  const { isFitting, contextTokens, promptTokens } = shortened ?? size;
  if (!isFitting) return { name: "too-long" };
  const leftTokens = contextTokens - promptTokens;
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

/** The same of a prompt that was measured, of which it is known how far it is there already. */
export function measuredSegments({ promptTokens, residentTokens, storedTokens }: PromptSize): readonly GaugeSegment[] {
  const reusedTokens = Math.max(residentTokens, storedTokens);
  const segments: readonly GaugeSegment[] = [
    { part: "in-place", tokens: residentTokens },
    { part: "stored", tokens: reusedTokens - residentTokens },
    { part: "computed", tokens: promptTokens - reusedTokens },
  ];
  return segments.filter(({ tokens }) => tokens > 0);
}
