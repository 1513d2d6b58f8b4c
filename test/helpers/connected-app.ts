import type { AppClient } from "../../src-main/contract/app-contract.ts";
import { createApp, type App } from "../../src-renderer/state/app.svelte.ts";
import { LocalStore } from "../../src-renderer/state/local-store.ts";
import type { ClientParts } from "./fake-connection.ts";

const never = new Promise<never>(() => undefined);

/** The page's state over a connection with some procedures; all others never answer. */
export function connectedApp(parts: ClientParts): App {
  const router = (procedures: object | undefined) =>
    new Proxy({}, { get: (_, name) => (Reflect.get(procedures ?? {}, name) as unknown) ?? (() => never) });
  const client = new Proxy({}, { get: (_, name) => router(Reflect.get(parts, name) as object | undefined) });
  const transport = { client: client as AppClient, closed: never, close: () => undefined };
  return createApp(() => Promise.resolve(transport), new LocalStore(null), window);
}

/** A watch that says one thing, and never ends. */
export async function* says<Event>(event: Event): AsyncGenerator<Event> {
  yield event;
  await never;
}
