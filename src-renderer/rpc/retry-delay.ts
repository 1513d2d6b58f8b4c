const firstMs = 250;
const longestMs = 8_000;

/** Milliseconds to wait before attempt `attempt` (the first is 1): doubling from 250 ms to 8 s. */
export function retryDelayMs(attempt: number): number {
  return Math.min(longestMs, firstMs * 2 ** (attempt - 1));
}
