import { beforeEach, expect, test, vi } from "vitest";
import { PacedCalls } from "../../../src-main/engine/paced-calls.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  return () => vi.useRealTimers();
});

test("requests in quick succession are one call now and one when the pause is over", () => {
  const call = vi.fn();
  const calls = new PacedCalls(250, call);
  calls.request();
  expect(call).not.toHaveBeenCalled();
  vi.advanceTimersByTime(0);
  expect(call).toHaveBeenCalledTimes(1);
  for (let count = 0; count < 10; count += 1) calls.request();
  vi.advanceTimersByTime(249);
  expect(call).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(call).toHaveBeenCalledTimes(2);
});

test("after its end nothing is called", () => {
  const call = vi.fn();
  const calls = new PacedCalls(250, call);
  calls.request();
  calls[Symbol.dispose]();
  vi.advanceTimersByTime(1_000);
  expect(call).not.toHaveBeenCalled();
});
