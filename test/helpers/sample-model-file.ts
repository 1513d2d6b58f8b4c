import { defaultLoadOptions } from "../../src-main/contract/model-settings.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";

/** A model of the models folder that was not looked into yet. */
export function sampleModelFile(changes: Partial<ModelFile> = {}): ModelFile {
  return {
    id: "m1",
    path: "/models/a.gguf",
    name: "SmolLM2",
    sizeBytes: 1,
    isDefault: false,
    kind: "model",
    familyId: null,
    source: "own",
    isReadOnly: false,
    sha256: null,
    copies: [],
    summary: null,
    problem: null,
    loadOptions: defaultLoadOptions,
    ...changes,
  };
}
