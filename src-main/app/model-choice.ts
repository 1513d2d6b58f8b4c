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
}

export class ModelChoice {
  readonly #locator: ModelLocator;
  readonly #settings: SettingStore;
  readonly #defaultModel: DefaultModel;

  constructor({ locator, settings, defaultModel }: Dependencies) {
    this.#locator = locator;
    this.#settings = settings;
    this.#defaultModel = defaultModel;
  }

  /** The name an answer is signed with, also where the model turns out to be missing. */
  nameFor(modelId: string | null): string {
    const chosenId = this.#chosenId(modelId);
    if (chosenId === null) return fileNameOf(this.#locator.default.path);
    return fileNameOf(this.#locator.find(chosenId)?.path ?? chosenId);
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
