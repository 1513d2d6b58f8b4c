import { Connection } from "../../src-renderer/state/connection.svelte.ts";
import type { AppClient } from "../../src-main/contract/app-contract.ts";

/** Some procedures of some routers, as functions of the test. */
export type ClientParts = Partial<
  Record<keyof AppClient, Readonly<Record<string, (...parameters: never[]) => unknown>>>
>;

/** A client that can do only what a test is about. */
export function fakeClient(parts: ClientParts): AppClient {
  return parts as unknown as AppClient;
}

/** A connection that is open, and stays so. */
export async function openConnection(parts: ClientParts): Promise<Connection> {
  const closed = new Promise<void>(() => undefined);
  const connection = new Connection(() =>
    Promise.resolve({ client: fakeClient(parts), closed, close: () => undefined }),
  );
  await Promise.resolve();
  await Promise.resolve();
  return connection;
}
