/** What going on with another model would take, beforehand. */
import type { SwitchCost } from "../contract/model-switch.ts";
import type { LoadOptions } from "../contract/model-settings.ts";
import type { EngineSession } from "./engine-session.ts";
import { stampFile } from "./file-stamp.ts";
import type { FittingPrompts } from "./fitting-prompts.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ModelSpeeds } from "./model-speeds.ts";
import type { Store } from "./ports.ts";
import { promptSoFar } from "./prompt.ts";
import type { Quarantine } from "./quarantine.ts";

interface Dependencies {
  readonly store: Store;
  readonly session: EngineSession;
  readonly models: ModelChoice;
  readonly prompts: FittingPrompts;
  readonly speeds: ModelSpeeds;
  readonly quarantine: Quarantine;
  readonly loadOptionsOf: (modelId: string) => LoadOptions;
  readonly chatTemplateOf: (modelId: string) => Promise<string | null>;
}

export class SwitchCosts {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** See the contract. */
  async of(conversationId: string, modelId: string, signal: AbortSignal): Promise<SwitchCost> {
    const { store, session, models, prompts, speeds, quarantine, loadOptionsOf, chatTemplateOf } = this.#parts;
    const conversation = store.conversations.get(conversationId);
    const { id, path } = models.listed(modelId);
    const file = await stampFile(path);
    const problem = quarantine.problemOf(file);
    if (problem !== null) throw problem;
    const chatTemplate = await chatTemplateOf(id);
    const input = { path, options: loadOptionsOf(id), chatTemplate, tuning: speeds.tuning(file), conversationId };
    const whole = promptSoFar(store.messages, conversation);
    const cost = await session.withCache((client) =>
      prompts.attempt(conversation, whole, "look", (messages) => client.switchCost({ ...input, messages }, { signal })),
    );
    const { residents } = session;
    const loadMs = cost.isResident ? 0 : residents.loadMsOf(path);
    return { ...cost, modelId, loadMs, closes: cost.closes.map((other) => residents.idOf(other)) };
  }
}
