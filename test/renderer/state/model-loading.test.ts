import { ORPCError } from "@orpc/client";
import { expect, test, vi } from "vitest";
import { ModelLoading } from "../../../src-renderer/state/model-loading.svelte.ts";
import { Problems } from "../../../src-renderer/state/problems.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";

interface Call {
  readonly input: { readonly modelId: string; readonly retry?: boolean };
  readonly signal: AbortSignal;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

async function openLoading() {
  const calls: Call[] = [];
  const load = (input: Call["input"], { signal }: { signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    signal.addEventListener("abort", () => {
      reject(signal.reason as Error);
    });
    calls.push({
      input,
      signal,
      end: () => {
        resolve(undefined);
      },
      fail: reject,
    });
    return promise;
  };
  const problems = new Problems();
  return { loading: new ModelLoading(await openConnection({ models: { load } }), problems), problems, calls };
}

test("what is being loaded is known until it is there", async () => {
  const { loading, calls } = await openLoading();
  const done = loading.load("a");
  expect(loading.modelId).toBe("a");
  calls[0]?.end();
  await done;
  expect(loading.modelId).toBeNull();
});

test("taken back, it ends, and nobody is told of a failure", async () => {
  const { loading, problems, calls } = await openLoading();
  const done = loading.load("a");
  loading.cancel();
  await done;
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(loading.modelId).toBeNull();
  expect(problems.list).toEqual([]);
});

test("another takes its place, and its end is not taken for that of the other", async () => {
  const { loading, calls } = await openLoading();
  const first = loading.load("a");
  const second = loading.load("b", true);
  await first;
  expect(loading.modelId).toBe("b");
  expect(calls.map(({ input }) => input)).toEqual([
    { modelId: "a", retry: false },
    { modelId: "b", retry: true },
  ]);
  calls[1]?.end();
  await second;
});

test("a failure is told", async () => {
  const { loading, problems, calls } = await openLoading();
  const done = loading.load("a");
  calls[0]?.fail(new ORPCError("ENGINE_FAILED", { message: "Memory is short.", data: { reason: "memory" } }));
  await done;
  await vi.waitFor(() => {
    expect(problems.list.map(({ error }) => error.message)).toEqual(["Memory is short."]);
  });
});
