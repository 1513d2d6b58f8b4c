import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startHeartbeat } from "../../../src-main/engine-host/heartbeat.ts";

const timing = { intervalMs: 1_000, missesAllowed: 3 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("silence over the allowed beats is told once", async () => {
  const onHung = vi.fn();
  startHeartbeat(() => new Promise(() => undefined), timing, onHung);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(onHung).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onHung).toHaveBeenCalledOnce();
});

test("a late answer starts the count anew", async () => {
  const onHung = vi.fn();
  const answerAfterTwoBeats = () => new Promise((resolve) => setTimeout(resolve, 2_500));
  startHeartbeat(answerAfterTwoBeats, timing, onHung);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onHung).not.toHaveBeenCalled();
});

test("an answer with an error is a sign of life too", async () => {
  const onHung = vi.fn();
  startHeartbeat(() => Promise.reject(new Error("no")), timing, onHung);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onHung).not.toHaveBeenCalled();
});

test("a main process that was asleep does not take its own sleep for the engine's", async () => {
  const onHung = vi.fn();
  startHeartbeat(() => new Promise(() => undefined), timing, onHung);
  vi.setSystemTime(Date.now() + 3_600_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onHung).not.toHaveBeenCalled();
});

test("after its end it says nothing more", async () => {
  const onHung = vi.fn();
  const end = startHeartbeat(() => new Promise(() => undefined), timing, onHung);
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onHung).not.toHaveBeenCalled();
});
