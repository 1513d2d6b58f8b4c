import { EventEmitter } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import { processPort } from "../../../src-main/child/process-port.ts";

/** Gives the process what its host would give it, and takes it away after the test. */
function pretend(values: Partial<Record<"parentPort" | "send" | "connected", unknown>>) {
  vi.stubGlobal("process", Object.assign(Object.create(process) as object, values));
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("inside Electron's utility process", () => {
  test("messages come out of the events they arrive in, and the end is told", () => {
    const parentPort = Object.assign(new EventEmitter(), { postMessage: vi.fn() });
    pretend({ parentPort });
    const port = processPort();
    const received: unknown[] = [];
    const closed = vi.fn();
    port?.onMessage.addListener((message) => received.push(message));
    port?.onDisconnect.addListener(closed);
    parentPort.emit("message", { data: "hello" });
    parentPort.emit("close");
    port?.postMessage("answer");
    expect(received).toEqual(["hello"]);
    expect(closed).toHaveBeenCalledOnce();
    expect(parentPort.postMessage).toHaveBeenCalledExactlyOnceWith("answer");
  });
});

describe("forked by Node", () => {
  test("it is flushed when the channel has taken what was posted, not before", async () => {
    const taken: (() => void)[] = [];
    pretend({
      connected: true,
      send: (_message: unknown, _handle: unknown, _options: unknown, done: () => void) => taken.push(done),
    });
    const port = processPort();
    port?.postMessage("one");
    port?.postMessage("two");
    const flushed = vi.fn();
    const flushing = port?.flushed().then(flushed);
    taken[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(flushed).not.toHaveBeenCalled();
    taken[1]?.();
    await flushing;
    expect(flushed).toHaveBeenCalledOnce();
  });
});

test("a process that nobody started as a child has no port", () => {
  pretend({ connected: false, send: undefined });
  expect(processPort()).toBeNull();
});
