/** This process as the surroundings of a command, and its end. */
import type { Writable } from "node:stream";
import { openReprise } from "../app/compose.ts";
import { thisMachine } from "../app/folders.ts";
import { forkEngine } from "../engine-host/fork-engine.ts";
import type { CommandHost } from "./command-host.ts";
import { locations } from "./locations.ts";
import { isOnBattery } from "./power-source.ts";
import { runReprise } from "./run-reprise.ts";
import { listenForStop } from "./stop.ts";
import { complain } from "./terminal.ts";
import { version } from "./version.ts";

/** Runs a command line in this process, and ends the process with its exit code. Call once. */
export async function runInProcess(words: readonly string[]): Promise<never> {
  const terminal = { input: process.stdin, output: process.stdout, errors: process.stderr };
  // Should standard error be gone, there is nobody left to tell.
  process.stderr.on("error", () => undefined);
  process.on("uncaughtException", (error) => {
    complain(terminal, `Something went wrong inside Reprise: ${error.message.split("\n")[0] ?? ""}`);
    process.exit(1);
  });
  const { engineEntry, quantizerEntry, rendererFolder } = locations();
  const launchers = {
    launchEngine: forkEngine({ entry: engineEntry }),
    launchQuantizer: forkEngine({ entry: quantizerEntry }),
  };
  const host: CommandHost = {
    terminal,
    stop: listenForStop(process),
    machine: thisMachine(),
    rendererFolder,
    openApp: (folders, options) =>
      openReprise({ ...folders, ...options, ...launchers, host: "headless", version, isOnBattery }),
  };
  const exitCode = await runReprise(words, version, host);
  await Promise.all([written(process.stdout), written(process.stderr)]);
  process.exit(exitCode);
}

/** A pipe may still hold what was written last; a closed one answers with its error, which is as good. */
function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => {
      resolve();
    });
  });
}
