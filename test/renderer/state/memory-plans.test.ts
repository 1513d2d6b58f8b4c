import { ORPCError } from "@orpc/client";
import { expect, test, vi } from "vitest";
import type { MemoryPlan, PlanInput } from "../../../src-main/contract/memory-plan.ts";
import { MemoryPlans } from "../../../src-renderer/state/memory-plans.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";
import { samplePlan } from "../../helpers/sample-plan.ts";

const one = sampleModelFile({ id: "a", path: "/a" });
const two = sampleModelFile({ id: "b", path: "/b" });

/** Each question waits until the test answers it. */
async function openPlans() {
  const asked: { input: PlanInput; answer: (plan: MemoryPlan) => void; fail: (error: unknown) => void }[] = [];
  const plan = (input: PlanInput) => {
    const { promise, resolve, reject } = Promise.withResolvers<MemoryPlan>();
    asked.push({ input, answer: resolve, fail: reject });
    return promise;
  };
  const plans = new MemoryPlans(await openConnection({ models: { plan } }));
  return { plans, asked };
}

test("each file is asked about once for a choice, one after the other", async () => {
  const { plans, asked } = await openPlans();
  plans.want(one);
  plans.want(one);
  plans.want(two);
  expect(asked.map(({ input }) => input.path)).toEqual(["/a"]);
  expect(asked[0]?.input).toMatchObject({ users: 1, options: one.loadOptions });
  expect(asked[0]?.input).not.toHaveProperty("contextTokens");

  asked[0]?.answer(samplePlan());
  await vi.waitFor(() => {
    expect(asked.map(({ input }) => input.path)).toEqual(["/a", "/b"]);
  });
  expect(plans.of(one)).toEqual({ state: "known", plan: samplePlan() });
  expect(plans.of(two)).toBeUndefined();
  plans.want(one);
  expect(asked).toHaveLength(2);
});

test("another choice is another question", async () => {
  const { plans, asked } = await openPlans();
  plans.want(one);
  asked[0]?.answer(samplePlan());
  await vi.waitFor(() => {
    expect(plans.of(one)).toBeDefined();
  });
  plans.choice = { users: 4, contextTokens: 2_048 };
  expect(plans.of(one)).toBeUndefined();
  plans.want(one);
  expect(asked[1]?.input).toMatchObject({ users: 4, contextTokens: 2_048 });
});

test("a question that is taken back before its turn is not asked", async () => {
  const { plans, asked } = await openPlans();
  plans.want(one);
  plans.want(two)();
  plans.want(sampleModelFile({ path: "/c" }));
  asked[0]?.answer(samplePlan());
  await vi.waitFor(() => {
    expect(asked.map(({ input }) => input.path)).toEqual(["/a", "/c"]);
  });
});

test("a file that cannot be planned says why, and is not asked about again; a lost connection is no answer", async () => {
  const { plans, asked } = await openPlans();
  plans.want(one);
  plans.want(two);
  asked[0]?.fail(
    new ORPCError("MODEL_INVALID", { message: "It says too little.", data: { path: "/a", reason: "too little" } }),
  );
  await vi.waitFor(() => {
    expect(plans.of(one)).toMatchObject({ state: "refused", error: { message: "It says too little." } });
  });
  plans.want(one);
  asked[1]?.fail(new Error("gone"));
  await vi.waitFor(() => {
    plans.want(two);
    expect(asked.map(({ input }) => input.path)).toEqual(["/a", "/b", "/b"]);
  });
});
