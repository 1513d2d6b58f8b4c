import type { FamilyCard, FamilyLevel } from "../../src-main/contract/model-library.ts";
import { familySettingsSchema } from "../../src-main/contract/model-settings.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";
import { sampleModelFile } from "./sample-model-file.ts";

/** A level that was never measured. */
export function sampleLevel(changes: Partial<FamilyLevel> = {}): FamilyLevel {
  return {
    modelId: "q4",
    level: "Q4_1",
    sizeBytes: 98_400_000,
    source: "own",
    problem: null,
    memory: { bytes: 334_000_000, contextTokens: 8_192 },
    speed: null,
    isFastestPrefill: false,
    isFastestDecode: false,
    bitsPerWeight: 5.6,
    isReference: false,
    ...changes,
  };
}

/** The levels of one model. */
export function sampleFamily(levels: readonly FamilyLevel[], changes: Partial<FamilyCard> = {}): FamilyCard {
  return {
    id: "smollm",
    name: "SmolLM2 135M Instruct",
    architecture: "llama",
    parametersLabel: "135M",
    levels: [...levels],
    settings: familySettingsSchema.parse({}),
    ...changes,
  };
}

/** The file that holds a level of `sampleFamily`. */
export function sampleLevelFile(id: string, level: string, changes: Partial<ModelFile> = {}): ModelFile {
  const name = "SmolLM2 135M Instruct";
  const summary = { name, architecture: "llama", quantization: level, trainedContextTokens: 8_192, layers: 30 };
  return sampleModelFile({
    id,
    path: `/models/${id}.gguf`,
    name,
    familyId: "smollm",
    summary: { ...summary, sizeBytes: 98_400_000 },
    ...changes,
  });
}
