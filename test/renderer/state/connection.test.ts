import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Transport } from "../../../src-renderer/rpc/transport.ts";
import { Connection } from "../../../src-renderer/state/connection.svelte.ts";
import { eventSource } from "../../helpers/event-source.ts";
import { fakeClient } from "../../helpers/fake-connection.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const client = fakeClient({ settings: { get: () => Promise.resolve("kept") } });

/** A transport a test can cut. */
function cuttable(): Transport & { cut: () => void } {
  const { promise: closed, resolve } = Promise.withResolvers<undefined>();
  const cut = () => {
    resolve(undefined);
  };
  return { client, closed, close: cut, cut };
}

async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

describe("a connection", () => {
  test("is connecting, then open", async () => {
    const connection = new Connection(() => Promise.resolve(cuttable()));
    expect(connection.state).toEqual({ name: "connecting", attempts: 0 });
    await settle();
    expect(connection.state).toEqual({ name: "open" });
  });

  test("counts attempts and waits longer after each", async () => {
    const open = vi.fn(() => Promise.reject(new Error("refused")));
    const connection = new Connection(open);
    await settle();
    expect(connection.state).toEqual({ name: "connecting", attempts: 1 });
    await vi.advanceTimersByTimeAsync(250);
    expect(open).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(250);
    expect(open).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(250);
    expect(open).toHaveBeenCalledTimes(3);
    connection.close();
  });

  test("comes back after it was lost", async () => {
    const transports: ReturnType<typeof cuttable>[] = [];
    const connection = new Connection(() => {
      const transport = cuttable();
      transports.push(transport);
      return Promise.resolve(transport);
    });
    await settle();
    transports[0]?.cut();
    await settle();
    expect(connection.state).toEqual({ name: "lost" });
    await vi.advanceTimersByTimeAsync(250);
    expect(connection.state).toEqual({ name: "open" });
    connection.close();
  });

  test("is tried at once when the reader asks for it", async () => {
    const transport = cuttable();
    const open = vi.fn(() => Promise.resolve(transport));
    const connection = new Connection(open);
    await settle();
    transport.cut();
    await settle();
    expect(connection.state).toEqual({ name: "lost" });
    connection.retry();
    await settle();
    expect(open).toHaveBeenCalledTimes(2);
    connection.close();
  });

  test("has nothing to offer without a token", async () => {
    const connection = new Connection(null);
    expect(connection.state).toEqual({ name: "no-token" });
    await expect(connection.call((app) => app.settings.get())).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  });

  test("says that it was lost where a call was cut off", async () => {
    const connection = new Connection(() => Promise.resolve(cuttable()));
    await settle();
    const call = connection.call(() => Promise.reject(new Error("AbortError")));
    await expect(call).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  });
});

describe("following a stream", () => {
  test("goes on over a new connection", async () => {
    const transports: ReturnType<typeof cuttable>[] = [];
    const connection = new Connection(() => {
      transports.push(cuttable());
      return Promise.resolve(transports.at(-1) ?? cuttable());
    });
    const sources = [eventSource<string>(), eventSource<string>()];
    const seen: string[] = [];
    let opened = 0;
    connection.follow<string>({
      open: () => Promise.resolve(sources[opened++] ?? eventSource<string>()),
      onEvent: (event) => seen.push(event),
    });
    sources[0]?.push("one");
    await settle();
    transports[0]?.cut();
    sources[0]?.end(new Error("AbortError"));
    await vi.advanceTimersByTimeAsync(500);
    sources[1]?.push("two");
    await settle();
    expect(seen).toEqual(["one", "two"]);
    connection.close();
  });

  test("hears nothing any more once it was ended", async () => {
    const connection = new Connection(() => Promise.resolve(cuttable()));
    const source = eventSource<string>();
    const seen: string[] = [];
    const stop = connection.follow<string>({
      open: () => Promise.resolve(source),
      onEvent: (event) => seen.push(event),
    });
    source.push("one");
    await settle();
    stop();
    source.push("two");
    await settle();
    expect(seen).toEqual(["one"]);
    connection.close();
  });
});
