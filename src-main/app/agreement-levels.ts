/** The levels of a model that are held against each other, and what is known of what they say. */
import { createHash } from "node:crypto";
import { RepriseError } from "../contract/errors.ts";
import type { LoadOptions } from "../contract/model-settings.ts";
import { stampFile, stampKey } from "./file-stamp.ts";
import type { ModelLibrary } from "./model-library.ts";
import type { ModelReference } from "./model-locator.ts";

/** A level, and the key under which it is kept what it says. */
export interface AskedLevel {
  readonly model: ModelReference;
  /** What its prompts are made with; `null`: the file's own. */
  readonly chatTemplate: string | null;
  readonly key: string;
}

interface Dependencies {
  readonly library: Pick<ModelLibrary, "levelsOf">;
  readonly loadOptionsOf: (modelId: string) => LoadOptions;
  readonly chatTemplateOf: (modelId: string) => Promise<string | null>;
}

/** Throws MODEL_MISSING, MODEL_INVALID. */
export async function askedLevel(
  model: ModelReference,
  { loadOptionsOf, chatTemplateOf }: Omit<Dependencies, "library">,
): Promise<AskedLevel> {
  const file = await stampFile(model.path);
  const options = loadOptionsOf(model.id);
  const chatTemplate = await chatTemplateOf(model.id);
  const parts = [stampKey(file), ...whatIsComputed(options), chatTemplate];
  return { model, chatTemplate, key: createHash("sha256").update(JSON.stringify(parts)).digest("hex") };
}

/** Throws INVALID_INPUT. */
export function assertSameModel(modelId: string, otherId: string, { library }: Pick<Dependencies, "library">): void {
  if (library.levelsOf(modelId).some(({ id, copies }) => [id, ...copies.map((copy) => copy.modelId)].includes(otherId)))
    return;
  const sentence = "These two are not levels of the same model, so they cannot be compared. Choose two of one family.";
  throw new RepriseError("INVALID_INPUT", sentence, { reason: `${modelId} and ${otherId} are of different families` });
}

/** The options under which the same tokens may get other logits. */
function whatIsComputed(options: LoadOptions): unknown[] {
  const { keyType, valueType, flashAttention, gpuLayers, ropeFrequencyBase, ropeFrequencyScale, loras } = options;
  return [keyType, valueType, flashAttention, gpuLayers, ropeFrequencyBase, ropeFrequencyScale, loras];
}
