import type { MemoryPlan } from "../../src-main/contract/memory-plan.ts";

/** Of a model that takes 6 of 16 GB, the reserve included. */
export function samplePlan(changes: Partial<MemoryPlan> = {}): MemoryPlan {
  return {
    path: "/models/a.gguf",
    weightsBytes: 2.5e9,
    adapterBytes: 0,
    kvBytesPerToken: 147_456,
    computeBytes: 3e8,
    reserveBytes: 2e9,
    maxTokens: 71_680,
    maxTokensPerUser: 71_680,
    contextTokens: 8_192,
    users: 1,
    budgetBytes: 16e9,
    keyType: "f16",
    valueType: "f16",
    flashAttention: true,
    cacheBytes: 1.2e9,
    totalBytes: 4e9,
    missingBytes: 0,
    trainedContextTokens: 131_072,
    attention: "gqa",
    layers: { all: 36, window: 0, state: 0, windowTokens: 0 },
    sources: {
      weightsBytes: "metadata",
      adapterBytes: "metadata",
      kvBytesPerToken: "formula",
      cacheBytes: "formula",
      computeBytes: "estimate",
      reserveBytes: "rule",
      budgetBytes: "machine",
      contextTokens: "rule",
    },
    measured: null,
    ...changes,
  };
}
