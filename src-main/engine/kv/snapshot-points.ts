import { prefillMs, type ReuseCosts } from "./reuse-costs.ts";

export interface SnapshotRequest {
  readonly promptTokens: number;
  /** Where the system prompt ends, with which other conversations begin too. */
  readonly boundaryTokens: number;
  /** How many of the prompt's tokens are in place: the others are about to be computed. */
  readonly inPlaceTokens: number;
  /** The longest snapshot that ends within the prompt, before its last token. */
  readonly storedTokens: number;
  /** An answer follows, which may be asked for again. */
  readonly isAnswered: boolean;
  readonly costs: ReuseCosts;
  /** Of a snapshot of so many tokens. */
  readonly bytesOf: (tokens: number) => number;
}

/** Pausing costs about a decode step: fewer tokens are computed again as fast. */
const fewestTokens = 64;
/** A file in memory, and a copy of it. Slower memory is slower at computing too. */
const savedBytesPerMs = 1_000_000;
/** Most snapshots are never asked for: one must be that much cheaper than what it may save. */
const worthTimes = 20;

/**
 * Where to pause on the way through a prompt of a model that cannot be taken back, ascending: behind the system prompt,
 * for the next chat, and before the prompt's last token, for another answer. Only where a snapshot there costs little
 * beside computing again what is behind the one before it.
 */
export function snapshotPoints(request: SnapshotRequest): number[] {
  const { promptTokens, boundaryTokens, inPlaceTokens, storedTokens, isAnswered } = request;
  const wished = isAnswered ? [boundaryTokens, promptTokens - 1] : [boundaryTokens];
  const points: number[] = [];
  for (const point of wished) {
    const isPassed = point > inPlaceTokens && point < promptTokens;
    const before = Math.max(points.at(-1) ?? 0, storedTokens < point ? storedTokens : 0);
    if (isPassed && isWorthKeeping(before, point, request)) points.push(point);
  }
  return points;
}

function isWorthKeeping(from: number, to: number, { costs, bytesOf }: SnapshotRequest): boolean {
  const savingMs = bytesOf(to) / savedBytesPerMs;
  return to - from >= fewestTokens && prefillMs(costs, from, to) >= worthTimes * savingMs;
}
