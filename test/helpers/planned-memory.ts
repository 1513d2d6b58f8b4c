import { planModel } from "../../src-main/engine/llama/model-plan.ts";
import { OpenModel } from "../../src-main/engine/llama/open-model.ts";
import { openOptions, sharedLlama } from "./open-tiny-model.ts";

/** What was planned for a file, and what it took once it was loaded with that context. Bytes. */
export async function plannedAndTaken(path: string, contextTokens: number) {
  const loaded = await sharedLlama();
  const plan = await planModel(loaded.llama, { path, contextTokens }, null);
  const options = { ...openOptions.options, contextTokens };
  await using model = await OpenModel.open(loaded, path, { ...openOptions, options, checkTensors: false });
  const { full, sliding, recurrentBytes } = model.context.layout;
  return {
    plan,
    taken: {
      cacheBytes: (full?.bytes ?? 0) + (sliding?.bytes ?? 0) + recurrentBytes,
      weightsBytes: model.weightsBytes,
      totalBytes: model.weightsBytes + model.context.allocatedBytes,
      flashAttention: model.settings.cache.flashAttention,
    },
  };
}
