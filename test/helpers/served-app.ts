/** `reprise serve` as a process of its own on the real default model: for tests in a browser, benches, screenshots. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { builtOutput } from "./built-output.ts";
import { defaultModelPath } from "./default-model.ts";

const program = fileURLToPath(new URL("../../src-main/headless/reprise.ts", import.meta.url));

export interface ServedApp extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** As Ctrl+C does; resolves when the app and its engine are gone. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** False where nobody opens the pages: they are then served as they were built last, if at all. True where absent. */
  readonly needsPages?: boolean;
  /** Where the models lie; the folder with the default model where absent. */
  readonly modelsFolder?: string;
  /** Of a hub on this machine; the tests' environment names another or none where absent. */
  readonly hubUrl?: string;
}

export async function serveApp(
  dataFolder: string,
  { needsPages = true, modelsFolder, hubUrl }: ServeOptions = {},
): Promise<ServedApp> {
  if (needsPages) builtOutput();
  const environment = {
    REPRISE_DATA: dataFolder,
    REPRISE_MODELS: modelsFolder ?? dirname(await defaultModelPath()),
    ...(hubUrl !== undefined && { REPRISE_HUB: hubUrl }),
  };
  const child = spawn(process.execPath, [program, "serve", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
  // The engine inherits no stream of ours, so the end of this one is the app's own end.
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) throw new Error("reprise serve ended before it served.");
  const { url, pid } = JSON.parse(first.value) as { url: string; pid: number };
  const stop = async () => {
    child.kill("SIGINT");
    await ended;
  };
  return { url, pid, stop, [Symbol.asyncDispose]: stop };
}
