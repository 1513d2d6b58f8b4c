import { GgmlType, type LlamaModel } from "node-llama-cpp";
import type { CacheType } from "../../contract/model-settings.ts";
import type { CacheSettings } from "./cache-settings.ts";

export interface ContextCost {
  readonly bytesPerToken: number;
  readonly fixedBytes: number;
}

const typeNumbers: Readonly<Record<CacheType, GgmlType>> = {
  f16: GgmlType.F16,
  q8_0: GgmlType.Q8_0,
  q4_0: GgmlType.Q4_0,
};

/** Beyond the windows of common models, so that what lies between them is cells that see everything. */
const sizes = [8_192, 16_384] as const;

/** What a context takes, cells and compute buffers together, as the library's own dry run says; nothing is allocated. */
export async function contextCost(
  model: LlamaModel,
  options: CacheSettings & { readonly chunkTokens: number },
): Promise<ContextCost> {
  const bytesOf = async (contextSize: number): Promise<number> => {
    const { cpuRam, gpuVram } = await model.fileInsights.estimateContextResourceRequirementsV2({
      contextSize,
      modelGpuLayers: model.gpuLayers,
      batchSize: options.chunkTokens,
      sequences: 1,
      flashAttention: options.flashAttention,
      kvCacheKeyType: typeNumbers[options.keyType],
      kvCacheValueType: typeNumbers[options.valueType],
    });
    return cpuRam + gpuVram;
  };
  const [small, large] = [await bytesOf(sizes[0]), await bytesOf(sizes[1])];
  const bytesPerToken = (large - small) / (sizes[1] - sizes[0]);
  return { bytesPerToken, fixedBytes: Math.max(0, small - bytesPerToken * sizes[0]) };
}
