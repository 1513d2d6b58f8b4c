import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Latest } from "../../../src-renderer/state/latest.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that goes on until the test ends it, or it is stopped. */
function slowWork(isOutdated: (running: string, next: string) => boolean = () => false) {
  const begun: string[] = [];
  const stopped: string[] = [];
  let end: (() => void) | null = null;
  const work = (value: string, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      begun.push(value);
      end = resolve;
      signal.addEventListener("abort", () => {
        stopped.push(value);
        resolve();
      });
    });
  const latest = new Latest<string>({ pauseMs: 300, work, isOutdated });
  const endIt = async () => {
    end?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { begun, endIt, latest, stopped };
}

test("begins after a pause, with the newest value only", () => {
  const { begun, latest } = slowWork();
  for (const value of ["a", "ab", "abc"]) {
    latest.set(value);
    vi.advanceTimersByTime(299);
  }
  expect(begun).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(begun).toEqual(["abc"]);
});

test("begins while the value goes on changing, where it must not wait for ever", async () => {
  const begun: string[] = [];
  const work = (value: string) => {
    begun.push(value);
    return Promise.resolve();
  };
  const latest = new Latest<string>({ pauseMs: 300, longestMs: 1_000, work, isOutdated: () => false });
  for (let typed = 1; typed <= 22; typed += 1) {
    latest.set("a".repeat(typed));
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(begun.map(({ length }) => length)).toEqual([10, 20]);
});

test("begins at once where it is urgent", () => {
  const { begun, latest } = slowWork();
  latest.set("pasted", true);
  expect(begun).toEqual(["pasted"]);
});

test("does one thing at a time, and goes on with the newest", async () => {
  const { begun, endIt, latest } = slowWork();
  latest.set("a", true);
  latest.set("b", true);
  latest.set("c");
  await vi.advanceTimersByTimeAsync(300);
  expect(begun).toEqual(["a"]);
  await endIt();
  expect(begun).toEqual(["a", "c"]);
  await endIt();
  expect(begun).toEqual(["a", "c"]);
});

test("waits for the pause, even where what ran has ended", async () => {
  const { begun, endIt, latest } = slowWork();
  latest.set("a", true);
  latest.set("b");
  await endIt();
  expect(begun).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(300);
  expect(begun).toEqual(["a", "b"]);
});

test("stops what is of no use any more", async () => {
  const { begun, latest, stopped } = slowWork((running, next) => !next.startsWith(running));
  latest.set("a", true);
  latest.set("ab", true);
  expect(stopped).toEqual([]);
  latest.set("x", true);
  expect(stopped).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(["a", "x"]);
});

test("cleared, it stops and forgets", async () => {
  const { begun, latest, stopped } = slowWork();
  latest.set("a", true);
  latest.set("b");
  latest.clear();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toEqual(["a"]);
  expect(stopped).toEqual(["a"]);
});
