import type { App } from "../state/app.svelte.ts";

/** Has the open conversation use the model whose file lies at a path, and shows it. Returns false where it is not listed. */
export async function useModel(app: App, path: string): Promise<boolean> {
  const { chat, models, route, ui } = app;
  const file = models.files?.find((each) => each.path === path || each.copies.some((copy) => copy.path === path));
  if (file === undefined) return false;
  await chat.chooseModel(file);
  route.open(route.conversationId);
  ui.focusNext = "composer";
  return true;
}
