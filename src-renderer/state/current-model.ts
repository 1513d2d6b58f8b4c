import type { ModelFile } from "../../src-main/contract/model.ts";
import type { App } from "./app.svelte.ts";

/** The model that answers here. `null` where it is not there, `undefined` while that is not known. */
export function currentModel({ chat, models, settings }: App): ModelFile | null | undefined {
  return models.choose(chat.ready?.conversation.modelId ?? null, settings.current.modelId);
}
