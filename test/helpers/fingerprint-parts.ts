import type { FingerprintParts } from "../../src-main/engine/kv/fingerprint.ts";

export const sampleParts: FingerprintParts = {
  weights: "12".repeat(32),
  release: "llama.cpp v1",
  backend: "cpu",
  keyType: "f16",
  valueType: "f16",
  rope: { frequencyBase: null, frequencyScale: null, factors: null },
  loras: [],
  attentionRotation: true,
  snapshotValues: null,
};
