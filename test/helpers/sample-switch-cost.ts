import type { SwitchCost } from "../../src-main/contract/model-switch.ts";

/** Of a model that has to be loaded, to compute a conversation of which nothing is stored. Its speed is not known. */
export function sampleSwitchCost(changes: Partial<SwitchCost> = {}): SwitchCost {
  return {
    modelId: "q8",
    isActive: false,
    isResident: false,
    loadBytes: 145_000_000,
    memoryBytes: 381_000_000,
    isFitting: true,
    keepsActive: true,
    promptTokens: 412,
    residentTokens: 0,
    storedTokens: 0,
    computeTokens: 412,
    computeMs: null,
    closes: [],
    loadMs: null,
    ...changes,
  };
}
