/** What is known of model files, for a person to read. */
import type { MemoryPlan, ModelDetails } from "../contract/memory-plan.ts";
import { formatSize, oneLine } from "./text-format.ts";

const kinds: Record<ModelDetails["kind"], string> = {
  model: "a model",
  part: "a part of a model, and not the first",
  adapter: "an adapter for a model",
  projector: "the picture reader of a model",
  "importance-matrix": "an importance matrix for making quantizations",
  vocabulary: "a vocabulary without weights",
  other: "something else",
};

const attentions: Record<MemoryPlan["attention"], string> = {
  mha: "multi-head attention",
  gqa: "grouped-query attention",
  mqa: "multi-query attention",
  mla: "latent attention",
  none: "no attention",
};

export function renderModelDetails(details: ModelDetails): string {
  const { kind, summary, problem, files, tensors, tensorTypes, metadata } = details;
  const size = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const types = tensorTypes.map(({ type, bytes }) => `${type} ${formatSize(bytes)}`);
  return [
    `Kind:      ${kinds[kind]}`,
    ...(summary === null ? [] : [`Name:      ${oneLine(summary.name)} (${summary.quantization ?? "level not said"})`]),
    `Files:     ${files.length}, ${formatSize(size)}`,
    `Tensors:   ${tensors}${types.length === 0 ? "" : `: ${types.join(", ")}`}`,
    ...(problem === null ? [] : [`Problem:   ${oneLine(problem)}`]),
    "",
    ...Object.entries(metadata).map(([key, value]) => `${oneLine(key)} = ${shown(value)}`),
  ].join("\n");
}

function shown(value: ModelDetails["metadata"][string]): string {
  return typeof value === "object" ? `[${value.length}]` : oneLine(String(value));
}

export function renderMemoryPlan(plan: MemoryPlan): string {
  const { users, contextTokens, layers } = plan;
  const tokens = (count: number) => count.toLocaleString("en");
  const [keys, values] = [plan.keyType.toUpperCase(), plan.valueType.toUpperCase()];
  const flash = plan.flashAttention ? "flash attention" : "no flash attention";
  const types = keys === values ? keys : `${keys} keys, ${values} values`;
  const window = layers.window === 0 ? "" : `, ${layers.window} layers keep the last ${tokens(layers.windowTokens)}`;
  const state = layers.state === 0 ? "" : `, ${layers.state} layers carry a state`;
  const who = users === 1 ? "" : `${users} users × `;
  return [
    `Weights:   ${formatSize(plan.weightsBytes)}`,
    `Cache:     ${formatSize(plan.cacheBytes)} for ${who}${tokens(contextTokens)} tokens: ${tokens(plan.kvBytesPerToken)} bytes each (${attentions[plan.attention]}, ${types}, ${flash}${window}${state})`,
    `Computing: ${formatSize(plan.computeBytes)}, estimated`,
    `Together:  ${formatSize(plan.totalBytes)} of ${formatSize(plan.budgetBytes)}, with ${formatSize(plan.reserveBytes)} left for the system`,
    `Fits:      ${fitting(plan, tokens)}`,
    ...(plan.missingBytes === 0
      ? []
      : [
          `Beware:    ${formatSize(plan.missingBytes)} are missing. It may be loaded anyway, but slowly or not at all.`,
        ]),
    ...(plan.measured === null ? [] : [`Measured:  ${measured(plan.measured, tokens)}`]),
  ].join("\n");
}

function fitting(
  { maxTokens, maxTokensPerUser, users, trainedContextTokens }: MemoryPlan,
  tokens: (count: number) => string,
) {
  if (maxTokens === 0) return "no context at all";
  const shared = users === 1 ? "" : `, or ${users} users × ${tokens(maxTokensPerUser)}`;
  const isMore = trainedContextTokens !== null && maxTokens > trainedContextTokens;
  const trained = isMore ? ` (it was trained for ${tokens(trainedContextTokens)})` : "";
  return `${tokens(maxTokens)} tokens${shared}${trained}`;
}

function measured(figures: NonNullable<MemoryPlan["measured"]>, tokens: (count: number) => string): string {
  const { weightsBytes, cacheBytes, computeBytes, contextTokens } = figures;
  const parts = [weightsBytes, cacheBytes, computeBytes].map(formatSize);
  return `loaded now with ${tokens(contextTokens)} tokens: ${parts.join(" + ")}`;
}
