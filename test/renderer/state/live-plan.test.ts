import { ORPCError } from "@orpc/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { PlanInput } from "../../../src-main/contract/memory-plan.ts";
import { LivePlan } from "../../../src-renderer/state/live-plan.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { samplePlan } from "../../helpers/sample-plan.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const refusal = new ORPCError("OPTIONS_REFUSED", {
  message: "Both need the same type.",
  data: { problem: "cache-types-differ", file: "a.gguf" },
});

/** Answers with the number of users that was asked for; 13 are refused. */
async function openLive() {
  const asked: (number | undefined)[] = [];
  const plan = ({ users }: PlanInput) => {
    asked.push(users);
    return users === 13 ? Promise.reject(refusal) : Promise.resolve(samplePlan({ users: users ?? 0 }));
  };
  return { live: new LivePlan(await openConnection({ models: { plan } })), asked };
}

const ask = (users: number): PlanInput => ({ path: "/a", users });
const settled = () => vi.runAllTimersAsync();

test("while something is being chosen nothing is asked; then the last choice is", async () => {
  const { live, asked } = await openLive();
  for (const users of [1, 2, 3]) live.ask(ask(users));
  expect(live.isAsking).toBe(true);
  await settled();
  expect(asked).toEqual([3]);
  expect(live.plan?.users).toBe(3);
  expect(live.isAsking).toBe(false);
});

test("what it is compared with comes along, without what cannot be answered", async () => {
  const { live } = await openLive();
  live.ask(ask(1), { without: ask(2), refused: ask(13) });
  await settled();
  expect(live.others).toEqual({ without: samplePlan({ users: 2 }) });
  expect(live.error).toBeNull();
});

test("a refusal is told, keeps the last answer, and goes with the next one", async () => {
  const { live } = await openLive();
  live.ask(ask(1));
  await settled();
  live.ask(ask(13));
  await settled();
  expect(live.error).toMatchObject({ code: "OPTIONS_REFUSED", message: "Both need the same type." });
  expect(live.plan?.users).toBe(1);
  live.ask(ask(2));
  await settled();
  expect(live.error).toBeNull();
  expect(live.plan?.users).toBe(2);
});

test("closed, it asks no more", async () => {
  const { live, asked } = await openLive();
  live.ask(ask(1));
  live.close();
  await settled();
  expect(asked).toEqual([]);
});
