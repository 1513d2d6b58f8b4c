/** `reprise serve`: the app for a browser on this machine, until it is asked to stop. */
import { resolveFolders } from "../app/folders.ts";
import { RepriseError } from "../contract/errors.ts";
import type { Instance } from "../loopback/instance-file.ts";
import { publishApp } from "../loopback/publish-app.ts";
import type { RemoteApp } from "../loopback/remote-client.ts";
import type { CommandHost } from "./command-host.ts";
import { findOrOpen } from "./find-or-open.ts";
import type { ServeOptions } from "./invocation.ts";
import { openBrowser } from "./open-browser.ts";
import { complain, print, printJson } from "./terminal.ts";

/** Prints one line, the address with the token; JSON: `{url, port, pid}`. Throws ALREADY_RUNNING, INVALID_INPUT for the port. */
export async function serve(options: ServeOptions, host: CommandHost): Promise<void> {
  const { terminal, rendererFolder, stop } = host;
  const folders = resolveFolders(host.machine, options.folders);
  const found = await findOrOpen(host, folders, { fetchDefaultModel: true });
  if (found.kind === "running") throw await alreadyRunning(folders.dataFolder, found.instance, found.remote);
  await using resources = new AsyncDisposableStack();
  resources.defer(() => found.app.close());
  const { router } = found.app;
  const published = await publishApp({ dataFolder: folders.dataFolder, router, rendererFolder, port: options.port });
  resources.defer(() => published.close());
  if (rendererFolder === null)
    complain(terminal, "The pages are not built (npm run build), so only the command line can use this address.");
  const url = pageAddress(published);
  if (options.json) printJson(terminal, { url, port: published.port, pid: process.pid });
  else print(terminal, `${url}\n`);
  if (options.open && !(await openBrowser(url)))
    complain(terminal, "No browser could be opened. Open the address yourself.");
  await aborted(stop);
}

/** The token stands behind the hash, where no server and no log sees it. */
const pageAddress = ({ url, token }: Pick<Instance, "url" | "token">) => `${url}/#token=${token}`;

async function alreadyRunning(dataFolder: string, instance: Instance, remote: RemoteApp): Promise<RepriseError> {
  const { host } = await remote.client.status.get();
  remote.close();
  const where = host === "desktop" ? "in a window of its own" : `at ${pageAddress(instance)}`;
  const sentence = `Reprise is already running on ${dataFolder}, ${where} (process ${instance.pid}).`;
  return new RepriseError("ALREADY_RUNNING", sentence, { dataFolder, pid: instance.pid });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener(
      "abort",
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
