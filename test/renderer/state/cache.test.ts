import { ORPCError } from "@orpc/client";
import { expect, test, vi } from "vitest";
import type { CacheState } from "../../../src-main/contract/cache.ts";
import { Cache } from "../../../src-renderer/state/cache.svelte.ts";
import { Problems } from "../../../src-renderer/state/problems.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { sampleCacheState } from "../../helpers/sample-cache-state.ts";

async function openCache(
  parts: Record<string, (...parameters: never[]) => unknown> = {},
  warm: () => Promise<object> = () => Promise.resolve({ isInterrupted: false }),
) {
  async function* watch(): AsyncGenerator<CacheState> {
    yield sampleCacheState();
    await new Promise<never>(() => undefined);
  }
  const problems = new Problems();
  const connection = await openConnection({ cache: { watch, ...parts }, chat: { warm } });
  const cache = new Cache(connection, problems);
  await vi.waitFor(() => {
    expect(cache.state).not.toBeNull();
  });
  return { cache, problems };
}

test("says where a conversation is", async () => {
  const { cache } = await openCache();
  expect(cache.residencyOf("c1")).toMatchObject({ state: "in-place", tokens: 184 });
  expect(cache.residencyOf("c2")).toBeNull();
});

test("a conversation is warming until main is done, also where it fails, of which nobody is told", async () => {
  const done = Promise.withResolvers<object>();
  const { cache, problems } = await openCache({}, () => done.promise);
  const warmed = cache.warm("c2");
  expect(cache.warmingId).toBe("c2");
  done.reject(new Error("gone"));
  expect(await warmed).toBe(false);
  expect(cache.warmingId).toBeNull();
  expect(problems.list).toEqual([]);
});

test("of two conversations opened one after the other, the later one is the one that is warming", async () => {
  const first = Promise.withResolvers<object>();
  const second = Promise.withResolvers<object>();
  const calls = [first.promise, second.promise];
  const { cache } = await openCache({}, () => calls.shift() ?? Promise.resolve({ isInterrupted: false }));
  const warmed = [cache.warm("c1"), cache.warm("c2")];
  first.resolve({ isInterrupted: true });
  expect(await warmed[0]).toBe(true);
  expect(cache.warmingId).toBe("c2");
  second.resolve({ isInterrupted: false });
  await warmed[1];
  expect(cache.warmingId).toBeNull();
});

test("a check runs once at a time, and its result is forgotten when the store is cleared", async () => {
  const verify = vi.fn(() => Promise.resolve({ blocks: 3, damaged: 0, failure: null }));
  const { cache } = await openCache({ verify, clear: () => Promise.resolve() });
  const both = [cache.verify(), cache.verify()];
  expect(cache.verification.isRunning).toBe(true);
  await Promise.all(both);
  expect(verify).toHaveBeenCalledTimes(1);
  expect(cache.verification).toMatchObject({ isRunning: false, result: { blocks: 3 } });
  await cache.clear();
  expect(cache.verification.result).toBeNull();
});

test("a check that fails says why", async () => {
  const selfTest = () =>
    Promise.reject(new ORPCError("ENGINE_FAILED", { message: "No memory.", data: { reason: "no memory" } }));
  const { cache, problems } = await openCache({ selfTest });
  await cache.testItself("c1");
  expect(cache.selfTest).toMatchObject({ isRunning: false, result: null });
  expect(problems.list).toMatchObject([{ error: { code: "ENGINE_FAILED" } }]);
});
