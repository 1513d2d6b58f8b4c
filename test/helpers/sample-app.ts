import { createApp, type App } from "../../src-renderer/state/app.svelte.ts";
import { LocalStore } from "../../src-renderer/state/local-store.ts";

/** The page's state without a connection. */
export function sampleApp(): App {
  return createApp(null, new LocalStore(null), window);
}
