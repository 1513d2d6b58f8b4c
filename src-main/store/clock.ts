/**
 * A clock that never gives the same millisecond twice and never goes back while the process lives, so that "most recently
 * used" has one answer, also when the system's clock is set.
 */
export function createClock(now: () => number = Date.now): () => number {
  let lastMs = 0;
  return () => {
    lastMs = Math.max(now(), lastMs + 1);
    return lastMs;
  };
}
