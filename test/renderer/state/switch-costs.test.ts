import { ORPCError } from "@orpc/client";
import { describe, expect, test, vi } from "vitest";
import type { SwitchCost } from "../../../src-main/contract/model-switch.ts";
import { SwitchCosts } from "../../../src-renderer/state/switch-costs.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { sampleSwitchCost } from "../../helpers/sample-switch-cost.ts";

interface Asked {
  readonly input: { readonly conversationId: string; readonly modelId: string };
  readonly signal: AbortSignal;
  readonly answer: (changes?: Partial<SwitchCost>) => void;
  readonly refuse: (error: Error) => void;
}

/** Costs whose questions a test answers, in the order they are asked. */
async function costsWith() {
  const asked: Asked[] = [];
  const switchCost = (input: Asked["input"], { signal }: { signal: AbortSignal }) =>
    new Promise<SwitchCost>((resolve, reject) => {
      const answer = (changes = {}) => {
        resolve(sampleSwitchCost({ modelId: input.modelId, ...changes }));
      };
      asked.push({ input, signal, answer, refuse: reject });
    });
  const connection = await openConnection({ chat: { switchCost } });
  return { costs: new SwitchCosts(connection), asked };
}

describe("the costs of a switch", () => {
  test("are asked for one after the other", async () => {
    const { costs, asked } = await costsWith();
    costs.ask("c1", ["q2", "q8"], "idle");
    expect(asked.map(({ input }) => input)).toEqual([{ conversationId: "c1", modelId: "q2" }]);
    expect(costs.of("q2")).toBeNull();

    asked[0]?.answer({ computeTokens: 7 });
    await vi.waitUntil(() => asked.length === 2);
    expect(costs.of("q2")).toMatchObject({ name: "known", cost: { computeTokens: 7 } });
    expect(asked[1]?.input.modelId).toBe("q8");
  });

  test("come first where somebody looks, once that is more than passing over", async () => {
    vi.useFakeTimers();
    const { costs, asked } = await costsWith();
    costs.ask("c1", ["q2", "q8", "f16"], "idle");
    costs.prefer("other");
    costs.prefer("f16");
    await vi.runAllTimersAsync();
    asked[0]?.answer();
    await vi.runAllTimersAsync();
    expect(asked.map(({ input }) => input.modelId)).toEqual(["q2", "f16"]);

    asked[1]?.answer();
    await vi.runAllTimersAsync();
    costs.prefer("f16");
    await vi.runAllTimersAsync();
    asked[2]?.answer();
    await vi.runAllTimersAsync();
    expect(asked.map(({ input }) => input.modelId)).toEqual(["q2", "f16", "q8"]);
    vi.useRealTimers();
  });

  test("are asked for anew after a change, and shown as they were until then", async () => {
    const { costs, asked } = await costsWith();
    costs.ask("c1", ["q2"], "idle");
    asked[0]?.answer({ computeTokens: 7 });
    await vi.waitUntil(() => costs.of("q2") !== null);

    costs.ask("c1", ["q2"], "idle");
    costs.ask("c1", ["q2"], "ready");
    await vi.waitUntil(() => asked.length === 2);
    expect(costs.of("q2")).toMatchObject({ cost: { computeTokens: 7 } });
    asked[1]?.answer({ computeTokens: 9 });
    await vi.waitUntil(() => asked[1] !== undefined && JSON.stringify(costs.of("q2")).includes('"computeTokens":9'));
  });

  test("of another conversation are forgotten, also those that arrive late", async () => {
    const { costs, asked } = await costsWith();
    costs.ask("c1", ["q2", "q8"], "idle");
    asked[0]?.answer();
    await vi.waitUntil(() => asked.length === 2);
    costs.ask("c2", ["q2"], "idle");
    expect(costs.of("q2")).toBeNull();
    expect(asked[1]?.signal.aborted).toBe(true);
    asked[1]?.answer();
    await vi.waitUntil(() => asked.length === 3);
    expect(asked[2]?.input).toEqual({ conversationId: "c2", modelId: "q2" });
    expect(costs.of("q8")).toBeNull();
  });

  test("can be refused, and the others are asked for all the same", async () => {
    const { costs, asked } = await costsWith();
    costs.ask("c1", ["q2", "q8"], "idle");
    const data = { path: "/models/q2.gguf" };
    asked[0]?.refuse(new ORPCError("MODEL_MISSING", { message: "It is gone.", data }));
    await vi.waitUntil(() => asked.length === 2);
    expect(costs.of("q2")).toMatchObject({ name: "refused", error: { code: "MODEL_MISSING" } });
  });

  test("interest nobody once the menu is closed", async () => {
    const { costs, asked } = await costsWith();
    costs.ask("c1", ["q2", "q8"], "idle");
    costs.close();
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer();
    await Promise.resolve();
    expect(costs.of("q2")).toBeNull();
    expect(asked).toHaveLength(1);
  });
});
