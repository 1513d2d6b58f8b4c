import type { ModelFile } from "../../src-main/contract/model.ts";
import type { App } from "../state/app.svelte.ts";
import { currentModel } from "../state/current-model.ts";
import { choiceOf, modelGroups } from "./model-groups.ts";

/** Answers here come from this model from now on. What answers already is left as it is, unless that was broken off. */
export async function chooseModel(app: App, file: ModelFile): Promise<void> {
  const { chat, declinedSwitch } = app;
  const { ready } = chat;
  const isBrokenOff = ready !== null && (declinedSwitch.isDeclined(ready) || ready.switching?.phase.name === "failed");
  if (currentModel(app)?.id === file.id && !isBrokenOff) return;
  declinedSwitch.forget();
  await chat.chooseModel(file);
}

/** The level with this digit, of the model that answers here. Nothing happens where there is none. */
export function chooseDigit(app: App, digit: number): void {
  const { models } = app;
  if (models.files === null || models.families === null) return;
  const choice = choiceOf(modelGroups(models.files, models.families, currentModel(app) ?? null), digit);
  if (choice !== null) void chooseModel(app, choice.file);
}
