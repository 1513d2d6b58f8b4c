import { afterEach, expect, test, vi } from "vitest";
import { EventHub } from "../../../src-main/app/event-hub.ts";
import type { FeedRules } from "../../../src-main/app/event-reader.ts";

/** A text that grows; its readers see the whole (`=`) first, then what is added (`+`), and marks (`!`). */
function growingText(rules: Partial<FeedRules<string>> = {}) {
  let text = "";
  const hub = new EventHub<string>({
    snapshot: () => `=${text}`,
    backlogLimit: 8,
    sizeOf: (event) => event.length - 1,
    merge: (earlier, later) => (earlier.startsWith("+") && later.startsWith("+") ? earlier + later.slice(1) : null),
    mustArrive: (event) => event.startsWith("!"),
    ...rules,
  });
  const add = (more: string) => {
    text += more;
    hub.publish(`+${more}`);
  };
  return { hub, add };
}

const value = async <Event>(events: AsyncIterator<Event, undefined>) => (await events.next()).value;

afterEach(() => {
  vi.useRealTimers();
});

test("a reader gets how things are when it first looks, then every change", async () => {
  const { hub, add } = growingText();
  add("a");
  const reader = hub.watch();
  add("b");
  expect(await value(reader)).toBe("=ab");
  const next = value(reader);
  add("c");
  expect(await next).toBe("+c");
});

test("changes that wait are merged", async () => {
  const { hub, add } = growingText();
  const reader = hub.watch();
  await reader.next();
  add("a");
  add("b");
  hub.publish("!");
  add("c");
  expect([await value(reader), await value(reader), await value(reader)]).toEqual(["+ab", "!", "+c"]);
});

test("a reader that falls behind gets a fresh view instead of a backlog, and what must arrive", async () => {
  const { hub, add } = growingText();
  const reader = hub.watch();
  await reader.next();
  for (const letter of "abcdefghij") add(letter);
  hub.publish("!1");
  for (const letter of "klmnopqrst") add(letter);
  expect([await value(reader), await value(reader)]).toEqual(["!1", "=abcdefghijklmnopqrst"]);
  add("u");
  expect(await value(reader)).toBe("+u");
});

test("with no backlog at all only the newest state is seen", async () => {
  const { hub, add } = growingText({ backlogLimit: 0 });
  const reader = hub.watch();
  await reader.next();
  add("a");
  add("b");
  expect(await value(reader)).toBe("=ab");
});

test("events keep their distance, and gather meanwhile", async () => {
  vi.useFakeTimers();
  const { hub, add } = growingText({ gapMs: () => 16 });
  const reader = hub.watch();
  await reader.next();
  add("a");
  const got = vi.fn();
  void value(reader).then(got);
  await vi.advanceTimersByTimeAsync(10);
  add("b");
  expect(got).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(6);
  expect(got).toHaveBeenCalledExactlyOnceWith("+ab");
});

test("an event that need not wait brings the ones before it along", async () => {
  vi.useFakeTimers();
  const { hub, add } = growingText({ gapMs: (event) => (event.startsWith("+") ? 16 : 0) });
  const reader = hub.watch();
  await reader.next();
  add("a");
  const next = value(reader);
  hub.publish("!");
  expect(await next).toBe("+a");
  expect(await value(reader)).toBe("!");
});

test("closing a reader ends a read that waits, and the hub forgets it", async () => {
  const { hub } = growingText();
  const reader = hub.watch();
  await reader.next();
  const waiting = reader.next();
  await reader.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(hub.readerCount).toBe(0);
});

test("an abort does the same", async () => {
  const { hub } = growingText();
  const connection = new AbortController();
  const reader = hub.watch(connection.signal);
  await reader.next();
  const waiting = reader.next();
  connection.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(hub.readerCount).toBe(0);
});

test("a connection that dropped before the watch began leaves no reader", async () => {
  const { hub } = growingText();
  const reader = hub.watch(AbortSignal.abort());
  expect(await reader.next()).toEqual({ done: true, value: undefined });
  expect(hub.readerCount).toBe(0);
});

test("at the end of the hub a reader still gets what waits for it", async () => {
  const { hub, add } = growingText();
  const reader = hub.watch();
  await reader.next();
  add("a");
  hub.end();
  expect(await value(reader)).toBe("+a");
  expect(await reader.next()).toEqual({ done: true, value: undefined });
});

test("an event that need not wait does not make the next one wait", async () => {
  vi.useFakeTimers();
  const { hub, add } = growingText({ gapMs: (event) => (event.startsWith("+") ? 16 : 0) });
  const reader = hub.watch();
  await reader.next();
  await vi.advanceTimersByTimeAsync(16);
  hub.publish("!");
  expect(await value(reader)).toBe("!");
  add("a");
  const got = vi.fn();
  void value(reader).then(got);
  await vi.advanceTimersByTimeAsync(0);
  expect(got).toHaveBeenCalledExactlyOnceWith("+a");
});
