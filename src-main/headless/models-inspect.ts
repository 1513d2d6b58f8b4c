import { resolve } from "node:path";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { CommonOptions } from "./invocation.ts";
import { renderModelDetails } from "./model-file-text.ts";
import { modelsSubcommand } from "./models-subcommand.ts";
import { unlessStopped } from "./stop.ts";
import { print, printJson } from "./terminal.ts";

/** What a subcommand about one file needs. */
export interface FileOptions extends CommonOptions {
  /** Absolute: the app may run in another folder. */
  readonly path: string;
}

/** JSON: the file as the contract has it. */
export const inspectModel = modelsSubcommand<FileOptions>({
  grammar: "inspect <path>",
  description: "show what a GGUF file says of itself",
  read: (options, [path = ""]) => ({ ...options, path: resolve(path) }),
  run: inspect,
});

async function inspect({ path, json, folders }: FileOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, folders, { isShared: false });
  const details = await unlessStopped(host.stop, "Stopped.", app.client.models.inspect({ path }));
  if (json) printJson(host.terminal, details);
  else print(host.terminal, `${renderModelDetails(details)}\n`);
}
