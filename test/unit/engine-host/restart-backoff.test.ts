import { expect, test } from "vitest";
import { countEarlyDeaths, restartDelayMs } from "../../../src-main/engine-host/restart-backoff.ts";

test("after one crash the engine starts again at once", () => {
  expect(restartDelayMs(countEarlyDeaths(0, 500))).toBe(0);
});

test("each further early death doubles the delay, up to a limit", () => {
  const delays = [2, 3, 4, 5, 6, 7, 20].map(restartDelayMs);
  expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
});

test("an engine that worked for a while starts the count anew", () => {
  expect(countEarlyDeaths(5, 60_000)).toBe(0);
});
