import { createRouterClient } from "@orpc/server";
import { type Folders, resolveFolders } from "../app/folders.ts";
import type { AppClient } from "../contract/app-contract.ts";
import { publishApp } from "../loopback/publish-app.ts";
import type { CommandHost, OpenedApp } from "./command-host.ts";
import { findOrOpen } from "./find-or-open.ts";
import type { FolderOptions } from "./invocation.ts";
import { complain } from "./terminal.ts";
import { oneLine } from "./text-format.ts";

/** An app to talk to: one that was running already, or one of this process that ends with the connection. */
export interface AppConnection extends AsyncDisposable {
  readonly client: AppClient;
}

export interface ConnectOptions {
  /** Whether other processes may find and use an app that had to be opened here. */
  readonly isShared: boolean;
}

/** Throws what `findOrOpen` throws. */
export async function connect(
  host: CommandHost,
  folderOptions: FolderOptions,
  { isShared }: ConnectOptions,
): Promise<AppConnection> {
  const folders = resolveFolders(host.machine, folderOptions);
  const found = await findOrOpen(host, folders, { fetchDefaultModel: false });
  if (found.kind === "opened") return connectToOpened(host, folders, found.app, isShared);
  return {
    client: found.remote.client,
    [Symbol.asyncDispose]: () => {
      found.remote.close();
      return Promise.resolve();
    },
  };
}

async function connectToOpened(
  { rendererFolder, terminal }: CommandHost,
  { dataFolder }: Folders,
  app: OpenedApp,
  isShared: boolean,
): Promise<AppConnection> {
  await using resources = new AsyncDisposableStack();
  resources.defer(() => app.close());
  const { router } = app;
  if (isShared) {
    const published = await publishApp({ dataFolder, router, rendererFolder });
    resources.defer(() => published.close());
  }
  const client: AppClient = createRouterClient(router, { context: {} });
  // Nobody else will see them: they go with this process.
  for (const { error } of (await client.status.get()).notices) complain(terminal, oneLine(error.message));
  const owned = resources.move();
  return { client, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
