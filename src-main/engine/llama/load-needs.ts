/** What loading a file would take, from its header alone. */
import type { Llama } from "node-llama-cpp";
import type { LoadOptions } from "../../contract/model-settings.ts";
import { cacheBytes, type ContextChoice } from "../../gguf/memory-plan.ts";
import { computeBytes } from "../../gguf/compute-bytes.ts";
import { comfortableTokens } from "../sizing/plan-context.ts";
import { inspectModel, type InspectedModel } from "./inspect-model.ts";
import { chunkTokensFor, modelShape, trainedTokens } from "./model-plan.ts";
import { modelSettings, type ModelSettings } from "./open-model.ts";

export interface LoadNeeds {
  readonly inspected: InspectedModel;
  readonly settings: ModelSettings;
  readonly weightsBytes: number;
  /** Weights, cache and compute buffers with the context it begins with; `null`: its file does not say. */
  readonly bytes: number | null;
  /** What the context may become at most; `null`: the file does not say. */
  readonly mostTokens: number | null;
}

/** Throws MODEL_MISSING, MODEL_INVALID, OPTIONS_REFUSED. */
export function loadNeeds(llama: Llama, path: string, options: LoadOptions): LoadNeeds {
  const inspected = inspectModel(llama, path);
  const { header } = inspected.parts[0];
  const settings = modelSettings(llama, header, options, path);
  const { cache, adapters } = settings;
  const adapterBytes = adapters.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const trained = trainedTokens(header);
  const shape = modelShape(llama, inspected.parts);
  const weightsBytes = (shape?.weightsBytes ?? inspected.summary.sizeBytes) + adapterBytes;
  const mostTokens = trained === null ? options.contextTokens : Math.min(trained, options.contextTokens ?? Infinity);
  if (shape === null) return { inspected, settings, weightsBytes, bytes: null, mostTokens };
  const choice: ContextChoice = {
    ...cache,
    contextTokens: Math.min(mostTokens ?? comfortableTokens, comfortableTokens),
    users: 1,
    chunkTokens: chunkTokensFor(llama, header, trained),
  };
  const bytes = weightsBytes + cacheBytes(shape.cache, choice) + computeBytes(shape.compute, choice);
  // A stranger's numbers may be beyond all measure.
  return { inspected, settings, weightsBytes, bytes: Number.isFinite(bytes) ? bytes : null, mostTokens };
}
