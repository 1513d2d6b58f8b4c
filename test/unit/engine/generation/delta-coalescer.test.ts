import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DeltaCoalescer } from "../../../../src-main/engine/generation/delta-coalescer.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What was sent, with the time of each sending. */
function recorded() {
  const sent: [atMs: number, text: string, tokens: number[]][] = [];
  const start = performance.now();
  const deltas = new DeltaCoalescer(({ text, tokens }) => sent.push([performance.now() - start, text, tokens]));
  const add = (text: string, token: number) => {
    deltas.add({ text, tokens: [token] }, performance.now());
  };
  return { sent, deltas, add };
}

test("the first piece goes at once, what follows within 50 ms goes together at their end", () => {
  const { sent, add } = recorded();
  add("a", 1);
  vi.advanceTimersByTime(5);
  add("b", 2);
  vi.advanceTimersByTime(5);
  add("c", 3);
  vi.advanceTimersByTime(100);
  expect(sent).toEqual([
    [0, "a", [1]],
    [50, "bc", [2, 3]],
  ]);
});

test("slow tokens go one by one without waiting", () => {
  const { sent, add } = recorded();
  add("a", 1);
  vi.advanceTimersByTime(200);
  add("b", 2);
  expect(sent.map(([at, text]) => [at, text])).toEqual([
    [0, "a"],
    [200, "b"],
  ]);
});

test("the end sends what waits and the rest, once", () => {
  const { sent, deltas, add } = recorded();
  add("a", 1);
  add("b", 2);
  deltas.finish({ text: "c", tokens: [3] });
  vi.advanceTimersByTime(100);
  expect(sent.map(([, text, tokens]) => [text, tokens])).toEqual([
    ["a", [1]],
    ["bc", [2, 3]],
  ]);
});

test("nothing to send is nothing sent", () => {
  const { sent, deltas } = recorded();
  deltas.finish({ text: "", tokens: [] });
  expect(sent).toEqual([]);
});

test("after a failure nothing is sent any more", () => {
  const { sent, deltas, add } = recorded();
  add("a", 1);
  add("b", 2);
  deltas[Symbol.dispose]();
  vi.advanceTimersByTime(100);
  expect(sent.map(([, text]) => text)).toEqual(["a"]);
});
