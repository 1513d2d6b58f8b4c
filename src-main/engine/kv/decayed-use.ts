/** How much something was used, counted so that long ago weighs little: every use adds one, and all of it halves with time. */
export interface DecayedUse {
  /** As it was at `atMs`. */
  readonly score: number;
  /** The last use, in milliseconds on any one clock. */
  readonly atMs: number;
}

export function firstUse(nowMs: number): DecayedUse {
  return { score: 1, atMs: nowMs };
}

export function usedAgain(use: DecayedUse, nowMs: number, halfLifeMs: number): DecayedUse {
  return { score: scoreNow(use, nowMs, halfLifeMs) + 1, atMs: nowMs };
}

/** A clock that went back counts as no time at all. */
export function scoreNow({ score, atMs }: DecayedUse, nowMs: number, halfLifeMs: number): number {
  return score * 0.5 ** (Math.max(0, nowMs - atMs) / halfLifeMs);
}
