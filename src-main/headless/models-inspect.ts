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
  /** As it was typed: from the folder in which the command was given, where it is not absolute. */
  readonly path: string;
}

/** JSON: the file as the contract has it. */
export const inspectModel = modelsSubcommand<FileOptions>({
  grammar: "inspect <path>",
  description: "show what a GGUF file says of itself",
  read: (options, [path = ""]) => ({ ...options, path }),
  run: inspect,
});

async function inspect(options: FileOptions, host: CommandHost): Promise<void> {
  const { json, folders } = options;
  const path = resolve(host.machine.workingFolder, options.path);
  await using app = await connect(host, folders, { isShared: false });
  const details = await unlessStopped(host.stop, "Stopped.", app.client.models.inspect({ path }));
  if (json) printJson(host.terminal, details);
  else print(host.terminal, `${renderModelDetails(details)}\n`);
}
