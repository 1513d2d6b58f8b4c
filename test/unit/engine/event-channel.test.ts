import { expect, test, vi } from "vitest";
import { EventChannel } from "../../../src-main/engine/event-channel.ts";

async function read<Event>(channel: EventChannel<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of channel) events.push(event);
  return events;
}

test("events arrive in order, those written before the reader came and those written while it waits", async () => {
  const channel = new EventChannel<number>(() => undefined);
  channel.write(1);
  channel.write(2);
  const reading = read(channel);
  await Promise.resolve();
  channel.write(3);
  channel.close();
  expect(await reading).toEqual([1, 2, 3]);
});

test("an error reaches the reader after what was written before it", async () => {
  const channel = new EventChannel<number>(() => undefined);
  channel.write(1);
  channel.close({ error: new Error("broken") });
  expect(await channel.next()).toEqual({ done: false, value: 1 });
  await expect(channel.next()).rejects.toThrow("broken");
  expect(await channel.next()).toEqual({ done: true, value: undefined });
});

test("an error reaches a reader that is waiting", async () => {
  const channel = new EventChannel<number>(() => undefined);
  const reading = channel.next();
  channel.close({ error: new Error("broken") });
  await expect(reading).rejects.toThrow("broken");
});

test("a reader may go away while it waits: the writer is told once, and its events go nowhere", async () => {
  const abandoned = vi.fn();
  const channel = new EventChannel<number>(abandoned);
  const waiting = channel.next();
  await channel.return();
  await channel.return();
  channel.write(1);
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(await channel.next()).toEqual({ done: true, value: undefined });
  expect(abandoned).toHaveBeenCalledOnce();
});

test("a reader that goes away after the end abandons nothing", async () => {
  const abandoned = vi.fn();
  const channel = new EventChannel<number>(abandoned);
  channel.close();
  await channel.return();
  expect(abandoned).not.toHaveBeenCalled();
});
