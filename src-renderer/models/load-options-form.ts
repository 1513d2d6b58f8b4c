/** Which options of a model file cost or save memory, and how much each one does. */
import type { MemoryPlan, PlanInput } from "../../src-main/contract/memory-plan.ts";
import { defaultLoadOptions, type LoadOptions } from "../../src-main/contract/model-settings.ts";
import type { OtherPlans } from "../state/live-plan.svelte.ts";

const costlyOptions = ["contextTokens", "keyType", "valueType", "flashAttention", "loras"] as const;
export type CostlyOption = (typeof costlyOptions)[number];

/** For each option that is not as usual, what the model would be loaded with if it were. */
export function withoutEach(path: string, options: LoadOptions): Partial<Record<CostlyOption, PlanInput>> {
  const changed = costlyOptions.filter((name) => !isSame(options[name], defaultLoadOptions[name]));
  return Object.fromEntries(
    changed.map((name) => [name, { path, options: { ...options, [name]: defaultLoadOptions[name] } }]),
  );
}

/** Bytes that an option adds (or saves, below 0) beside the others; `null` where it is as usual, or that is not known. */
export function effectBytes(plan: MemoryPlan | null, others: OtherPlans, name: CostlyOption): number | null {
  const without = others[name];
  return plan === null || without === undefined ? null : plan.totalBytes - without.totalBytes;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
