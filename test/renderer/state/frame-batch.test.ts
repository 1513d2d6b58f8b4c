import { expect, test } from "vitest";
import { FrameBatch } from "../../../src-renderer/state/frame-batch.ts";

/** Frames that come when the test says so. */
function frames() {
  const waiting = new Set<() => void>();
  return {
    next: (callback: () => void) => {
      waiting.add(callback);
      return () => waiting.delete(callback);
    },
    draw: () => {
      for (const callback of waiting) {
        waiting.delete(callback);
        callback();
      }
    },
    waiting,
  };
}

function batch() {
  const screen = frames();
  const taken: (readonly string[])[] = [];
  return { screen, taken, events: new FrameBatch<string>((events) => taken.push(events), screen.next) };
}

test("what comes between two frames is handed over together, in order", () => {
  const { screen, taken, events } = batch();
  events.add("a");
  events.add("b");
  expect(taken).toEqual([]);
  screen.draw();
  events.add("c");
  screen.draw();
  expect(taken).toEqual([["a", "b"], ["c"]]);
});

test("a flush does not wait, and leaves nothing for the frame", () => {
  const { screen, taken, events } = batch();
  events.add("a");
  events.flush();
  expect(screen.waiting.size).toBe(0);
  expect(taken).toEqual([["a"]]);
});

test("what was cleared never arrives", () => {
  const { screen, taken, events } = batch();
  events.add("a");
  events.clear();
  screen.draw();
  expect(taken).toEqual([]);
});
