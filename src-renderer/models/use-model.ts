import type { ModelFile } from "../../src-main/contract/model.ts";
import type { App } from "../state/app.svelte.ts";

/** Whether new conversations begin with this file. */
export function isForNewConversations({ models, settings }: App, file: ModelFile): boolean {
  return models.choose(settings.current.modelId)?.id === file.id;
}

/** New conversations begin with it from now on. */
export async function useForNewConversations({ settings }: App, file: ModelFile): Promise<void> {
  await settings.update({ modelId: file.isDefault ? null : file.id });
}

/** And it is loaded. */
export async function takeIntoUse(app: App, file: ModelFile): Promise<void> {
  await useForNewConversations(app, file);
  await app.modelLoading.load(file.id);
}
