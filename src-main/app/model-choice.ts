/** Which model answers: the conversation's own, else the one from the settings, else the default model. */
import { abortable } from "./abortable.ts";
import type { DefaultModel } from "./default-model.ts";
import { stampFile } from "./file-stamp.ts";
import { fileNameOf, type ModelLocator, type ModelReference } from "./model-locator.ts";
import type { SettingStore } from "./ports.ts";

interface Dependencies {
  readonly locator: ModelLocator;
  readonly settings: SettingStore;
  readonly defaultModel: DefaultModel;
  /** As the file names it; `null` while that is not known. */
  readonly levelOf: (modelId: string) => string | null;
}

export class ModelChoice {
  readonly #locator: ModelLocator;
  readonly #settings: SettingStore;
  readonly #defaultModel: DefaultModel;
  readonly #levelOf: Dependencies["levelOf"];

  constructor({ locator, settings, defaultModel, levelOf }: Dependencies) {
    this.#locator = locator;
    this.#settings = settings;
    this.#defaultModel = defaultModel;
    this.#levelOf = levelOf;
  }

  /** What an answer is signed with, also where the model turns out to be missing. */
  signatureFor(modelId: string | null): { modelName: string; modelId: string; modelLevel: string | null } {
    const id = this.#chosenId(modelId) ?? this.#locator.default.id;
    const path = this.chosen(modelId)?.path ?? id;
    return { modelName: fileNameOf(path), modelId: id, modelLevel: this.#levelOf(id) };
  }

  /** Throws NOT_FOUND. Whether its file is there is not looked at. */
  listed(modelId: string): ModelReference {
    return this.#locator.byId(modelId);
  }

  /** Whether its file is there is not looked at; `null` where the model is not on the list any more. */
  chosen(modelId: string | null): ModelReference | null {
    const chosenId = this.#chosenId(modelId);
    return chosenId === null ? this.#locator.default : this.#locator.find(chosenId);
  }

  /** Waits for the default model where it is the choice and being fetched. Throws why the model cannot be used. */
  async usable(modelId: string | null, signal: AbortSignal): Promise<ModelReference> {
    const chosenId = this.#chosenId(modelId);
    const model = chosenId === null ? this.#locator.default : this.#locator.byId(chosenId);
    if (this.#locator.isDefault(model.path)) await this.#defaultModel.available(signal);
    else await abortable(stampFile(model.path), signal);
    return model;
  }

  #chosenId(modelId: string | null): string | null {
    return modelId ?? this.#settings.get().modelId;
  }
}
