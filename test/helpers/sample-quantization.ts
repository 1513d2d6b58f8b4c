import type { Quantization, QuantizationPlan } from "../../src-main/contract/quantization.ts";

export function samplePlan(changes: Partial<QuantizationPlan> = {}): QuantizationPlan {
  return {
    sourcePath: "/models/m-F16.gguf",
    level: "Q4_K_M",
    sourceBytes: 8e9,
    predictedBytes: 2.5e9,
    freeBytes: 100e9,
    needsImatrix: false,
    isLossySource: false,
    outputPath: "/models/m-Q4_K_M.gguf",
    outputExists: false,
    ...changes,
  };
}

export function sampleQuantization(changes: Partial<Quantization> = {}): Quantization {
  return {
    id: "q1",
    sourcePath: "/models/m-F16.gguf",
    level: "Q4_K_M",
    path: "/models/m-Q4_K_M.gguf",
    state: "running",
    fraction: 0,
    secondsLeft: null,
    predictedBytes: 2.5e9,
    bytes: null,
    error: null,
    ...changes,
  };
}
