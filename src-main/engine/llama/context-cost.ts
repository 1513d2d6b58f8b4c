import type { LlamaModel } from "node-llama-cpp";

export interface ContextCost {
  readonly bytesPerToken: number;
  readonly fixedBytes: number;
}

/** Beyond the windows of common models, so that what lies between them is cells that see everything. */
const sizes = [8_192, 16_384] as const;

/** What a context takes, cells and compute buffers together, as the library's own dry run says; nothing is allocated. */
export async function contextCost(
  model: LlamaModel,
  options: { readonly chunkTokens: number; readonly flashAttention: boolean },
): Promise<ContextCost> {
  const bytesOf = async (contextSize: number): Promise<number> => {
    const { cpuRam, gpuVram } = await model.fileInsights.estimateContextResourceRequirementsV2({
      contextSize,
      modelGpuLayers: model.gpuLayers,
      batchSize: options.chunkTokens,
      sequences: 1,
      flashAttention: options.flashAttention,
    });
    return cpuRam + gpuVram;
  };
  const [small, large] = [await bytesOf(sizes[0]), await bytesOf(sizes[1])];
  const bytesPerToken = (large - small) / (sizes[1] - sizes[0]);
  return { bytesPerToken, fixedBytes: Math.max(0, small - bytesPerToken * sizes[0]) };
}
