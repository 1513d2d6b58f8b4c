/** What goes for all levels of one model, as far as the use cases need it. Whatever is not known gives the defaults. */
import { defaultSampling, type ConversationPatch, type Sampling } from "../contract/conversation.ts";
import type { Draft } from "../contract/draft.ts";
import { defaultFamilySettings, type FamilySettings, type FamilySettingsPatch } from "../contract/model-settings.ts";
import type { EngineSession } from "./engine-session.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ModelLibrary } from "./model-library.ts";
import type { ModelSettingStore } from "./ports.ts";

interface Dependencies {
  readonly library: Pick<ModelLibrary, "familyOf" | "updateFamily">;
  readonly settings: Pick<ModelSettingStore, "family">;
  readonly models: Pick<ModelChoice, "chosen">;
  readonly session: Pick<EngineSession, "refreshTemplate">;
}

/** What a new conversation has where nothing was chosen for it. */
export interface Beginning {
  readonly systemPrompt: string;
  readonly sampling: Sampling;
}

export class ModelFamilies {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** `null` while it is not known which model the file holds. Never rejects: who uses the file is told what is wrong with it. */
  async idOf(modelId: string): Promise<string | null> {
    return this.#parts.library.familyOf(modelId).catch(() => null);
  }

  async settingsOf(modelId: string): Promise<FamilySettings> {
    const familyId = await this.idOf(modelId);
    return familyId === null ? defaultFamilySettings : this.#parts.settings.family(familyId);
  }

  /** Throws NOT_FOUND for a family no file belongs to. Returns when the loaded model goes by it. */
  async update(familyId: string, patch: FamilySettingsPatch): Promise<FamilySettings> {
    const { library, session } = this.#parts;
    const settings = library.updateFamily(familyId, patch);
    // It is stored; where the engine is not well, the next answer tells.
    if (patch.chatTemplate !== undefined) await session.refreshTemplate().catch(() => undefined);
    return settings;
  }

  /** Of a conversation with this model; `null`: the one of the settings, else the default model. */
  async beginning(modelId: string | null): Promise<Beginning> {
    const model = this.#parts.models.chosen(modelId);
    const settings = model === null ? defaultFamilySettings : await this.settingsOf(model.id);
    return { systemPrompt: settings.systemPrompt ?? "", sampling: settings.sampling ?? defaultSampling };
  }

  /** As it would begin: its system prompt is known, also where it was not chosen. */
  async draftWithBeginning<Given extends Draft>(draft: Given): Promise<Given> {
    const { newConversation } = draft;
    if (newConversation === undefined || newConversation.systemPrompt !== undefined) return draft;
    const { systemPrompt } = await this.beginning(newConversation.modelId ?? null);
    return { ...draft, newConversation: { ...newConversation, systemPrompt } };
  }

  /** The changes to a conversation that has not begun: with another model comes what begins with that, unless it was chosen otherwise. */
  async withModelChanged(
    current: Beginning & { readonly modelId: string | null },
    patch: ConversationPatch,
  ): Promise<ConversationPatch> {
    if (patch.modelId === undefined || patch.modelId === current.modelId) return patch;
    const [before, after] = await Promise.all([this.beginning(current.modelId), this.beginning(patch.modelId)]);
    return {
      ...(current.systemPrompt === before.systemPrompt && { systemPrompt: after.systemPrompt }),
      ...(isSameSampling(current.sampling, before.sampling) && { sampling: after.sampling }),
      ...patch,
    };
  }
}

function isSameSampling(one: Sampling, other: Sampling): boolean {
  const names = Object.keys(one) as (keyof Sampling)[];
  return names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
}
