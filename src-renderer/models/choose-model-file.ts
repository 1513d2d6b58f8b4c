import type { ModelFile } from "../../src-main/contract/model.ts";
import type { App } from "../state/app.svelte.ts";

/** Adds a GGUF file: by the system's dialog in the desktop window, by its path in a browser, which cannot tell paths. */
export async function chooseModelFile(app: App): Promise<void> {
  const bridge = window.repriseDesktop;
  if (bridge === undefined) {
    app.ui.dialog = { name: "add-model" };
    return;
  }
  const path = await bridge.chooseModelFile();
  if (path !== null) await addModelFile(app, path);
}

/** Adds the file and lets the open conversation use it. Returns whether it was added. */
export async function addModelFile(app: App, path: string): Promise<boolean> {
  return app.problems.attempt(
    app.connection.call((client) => client.models.add({ path })).then((file) => useAddedModel(app, file)),
  );
}

/** In the chat a file is added to answer there; on other screens it is only listed. */
export async function useAddedModel({ chat, route }: App, file: ModelFile): Promise<void> {
  if (route.screen === "chat") await chat.chooseModel(file);
}
