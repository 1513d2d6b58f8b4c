import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Checkpointer } from "../../../src-main/app/checkpointer.ts";
import { RepriseError } from "../../../src-main/contract/errors.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("text that grows all the time is saved twice a second", () => {
  const save = vi.fn();
  const checkpointer = new Checkpointer(save, vi.fn());
  for (let elapsedMs = 0; elapsedMs < 10_000; elapsedMs += 10) {
    checkpointer.grew();
    vi.advanceTimersByTime(10);
  }
  expect(save).toHaveBeenCalledTimes(20);
});

test("the last piece is saved too, where nothing follows it", () => {
  const save = vi.fn();
  const checkpointer = new Checkpointer(save, vi.fn());
  checkpointer.grew();
  expect(save).not.toHaveBeenCalled();
  vi.advanceTimersByTime(500);
  expect(save).toHaveBeenCalledOnce();
});

test("a piece after a pause is told before it is saved, and saved as soon as any other", () => {
  const save = vi.fn();
  const checkpointer = new Checkpointer(save, vi.fn());
  vi.advanceTimersByTime(5_000);
  checkpointer.grew();
  vi.advanceTimersByTime(499);
  expect(save).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(save).toHaveBeenCalledOnce();
});

test("a save that fails is told, and tried again with the next piece", () => {
  const save = vi.fn(() => {
    throw new RepriseError("STORAGE_FAILED", "The disk is full.", { reason: "disk-full", detail: "" });
  });
  const onFailure = vi.fn();
  const checkpointer = new Checkpointer(save, onFailure);
  checkpointer.grew();
  vi.advanceTimersByTime(500);
  checkpointer.grew();
  vi.advanceTimersByTime(500);
  expect(onFailure.mock.calls.map(([error]) => (error as RepriseError).code)).toEqual([
    "STORAGE_FAILED",
    "STORAGE_FAILED",
  ]);
});

test("after the end nothing is saved any more", () => {
  const save = vi.fn();
  const checkpointer = new Checkpointer(save, vi.fn());
  checkpointer.grew();
  checkpointer.end();
  vi.advanceTimersByTime(5_000);
  expect(save).not.toHaveBeenCalled();
});
