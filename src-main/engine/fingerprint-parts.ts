import { attentionRotation, type FingerprintParts } from "./kv/fingerprint.ts";
import { engineLibrary } from "./llama/load-llama.ts";
import type { ModelSettings } from "./llama/open-model.ts";

interface LoadFacts {
  readonly settings: ModelSettings;
  /** What computes: `cpu`, `cuda`, `metal`, `vulkan`. */
  readonly backend: string;
  /** Of the model or an adapter. */
  readonly weightsOf: (path: string) => string;
}

/** What of a fingerprint is known before the weights are loaded. */
export function fingerprintParts(path: string, { settings, backend, weightsOf }: LoadFacts): FingerprintParts {
  const { cache, rope, adapters, gpuLayers } = settings;
  return {
    weights: weightsOf(path),
    release: `${engineLibrary.name}, ${engineLibrary.release}`,
    // Layers left to the processor are rounded as it does.
    backend: gpuLayers === "auto" ? backend : `${backend}, ${gpuLayers} layers`,
    keyType: cache.keyType,
    valueType: cache.valueType,
    rope: { ...rope.settings, factors: null },
    loras: adapters.map((adapter) => ({ weights: weightsOf(adapter.path), scale: adapter.scale })),
    attentionRotation: attentionRotation(process.env),
    snapshotValues: null,
  };
}
