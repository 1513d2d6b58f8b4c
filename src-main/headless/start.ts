/** `npm start`: the desktop window where this machine can show one; otherwise the same app served to a browser. */
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname } from "node:path";
import { desktopObstacle } from "./desktop-obstacle.ts";
import { fetchElectron, findElectron } from "./electron-binary.ts";
import { runInProcess } from "./process-host.ts";
import { runDesktop } from "./run-desktop.ts";

const electronFolder = dirname(createRequire(import.meta.url).resolve("electron/package.json"));
const appFolder = dirname(dirname(import.meta.dirname));

/** Ends the process with the window's exit code. Returns why there is none where it could not be opened. */
async function openWindow(words: readonly string[]): Promise<string> {
  const { platform, env: environment } = process;
  const obstacle = desktopObstacle({ platform, environment, userId: process.getuid?.() ?? null });
  if (obstacle !== null) return obstacle;
  const executable = findElectron(electronFolder) ?? (await fetchWithNotice());
  if (executable === null) return "Electron could not be fetched";
  const { code, signal, neverStarted } = await runDesktop(executable, appFolder, words);
  if (neverStarted) return "Electron does not start on this machine";
  process.exit(code ?? (signal === null ? 1 : 128 + constants.signals[signal]));
}

async function fetchWithNotice(): Promise<string | null> {
  if (process.stderr.isTTY) process.stderr.write("Fetching Electron, once (about 110 MB) …\n");
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    stop.abort();
    process.exit(128 + constants.signals[signal]);
  };
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  const executable = await fetchElectron(electronFolder, stop.signal);
  process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  return executable;
}

const words = process.argv.slice(2);
const reason = await openWindow(words);
process.stderr.write(`${reason}, so Reprise is served to a browser instead:\n`);
await runInProcess(["serve", ...words]);
