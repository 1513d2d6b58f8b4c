/** The sampling settings a person can change, with the limits of the contract. */
import type { Sampling } from "../../src-main/contract/conversation.ts";
import { m } from "../paraglide/messages.js";

type SamplingKey = "temperature" | "topK" | "topP" | "minP" | "repeatPenalty" | "seed" | "maxTokens";

export interface SamplingField {
  readonly key: SamplingKey;
  readonly label: () => string;
  /** One sentence: what it does. */
  readonly tip: () => string;
  readonly min: number;
  readonly max: number | null;
  readonly step: number;
  /** Shown where the field may be empty and is: what that means. */
  readonly whenEmpty?: () => string;
}

export const samplingFields: readonly SamplingField[] = [
  { key: "temperature", label: m.temperature, tip: m.temperature_tip, min: 0, max: 5, step: 0.05 },
  { key: "topK", label: m.top_k, tip: m.top_k_tip, min: 0, max: 1_000, step: 1 },
  { key: "topP", label: m.top_p, tip: m.top_p_tip, min: 0.01, max: 1, step: 0.01 },
  { key: "minP", label: m.min_p, tip: m.min_p_tip, min: 0, max: 1, step: 0.01 },
  { key: "repeatPenalty", label: m.repeat_penalty, tip: m.repeat_penalty_tip, min: 0.5, max: 2, step: 0.01 },
  { key: "seed", label: m.seed, tip: m.seed_setting_tip, min: 0, max: 0xffff_ffff, step: 1, whenEmpty: m.seed_random },
  { key: "maxTokens", label: m.max_tokens, tip: m.max_tokens_tip, min: 1, max: null, step: 1, whenEmpty: m.no_limit },
];

/** What the fields of a form hold: numbers, or nothing where a field is empty. */
export type SamplingValues = Record<SamplingKey, number | null | undefined>;

/** `sampling` with the values of the form. An empty field counts as `null`, which only some settings take. */
export function withValues(sampling: Sampling, values: SamplingValues): Record<keyof Sampling, unknown> {
  const entries = samplingFields.map(({ key }) => [key, values[key] ?? null] as const);
  return { ...sampling, ...Object.fromEntries(entries) };
}
