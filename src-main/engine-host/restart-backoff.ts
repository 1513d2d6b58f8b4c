/** A process that lived this long was working: its end says nothing about the next start. */
const healthyLifeMs = 30_000;
const firstDelayMs = 250;
const longestDelayMs = 8_000;

/** How many times in a row the process died soon after its start, this time included. */
export function countEarlyDeaths(before: number, livedMs: number): number {
  return livedMs >= healthyLifeMs ? 0 : before + 1;
}

/** How long to wait before starting again. The first early death costs nothing: one crash should not slow the next message. */
export function restartDelayMs(earlyDeaths: number): number {
  return earlyDeaths < 2 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (earlyDeaths - 2));
}
