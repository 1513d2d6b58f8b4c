import { expect, test } from "vitest";
import { createClock } from "../../../src-main/store/clock.ts";

test("two calls in one millisecond, and a clock that was set back, still go forward", () => {
  const system = [1_000, 1_000, 400, 2_000].values();
  const now = createClock(() => Number(system.next().value));
  expect([now(), now(), now(), now()]).toEqual([1_000, 1_001, 1_002, 2_000]);
});
