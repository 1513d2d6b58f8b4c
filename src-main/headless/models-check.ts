import { basename, resolve } from "node:path";
import { RepriseError } from "../contract/errors.ts";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { FileOptions } from "./models-inspect.ts";
import { modelsSubcommand } from "./models-subcommand.ts";
import { unlessStopped } from "./stop.ts";
import { print, printJson } from "./terminal.ts";
import { oneLine } from "./text-format.ts";

/** JSON: `{ok, problems}`. Ends with 1 where something is wrong. */
export const checkModel = modelsSubcommand<FileOptions>({
  grammar: "check <path>",
  description: "check that a GGUF file is whole and can be loaded, without loading it",
  read: (options, [path = ""]) => ({ ...options, path }),
  run: check,
});

/** Throws MODEL_MISSING, and MODEL_INVALID where something is wrong with the file. */
async function check(options: FileOptions, host: CommandHost): Promise<void> {
  const { json, folders } = options;
  const path = resolve(host.machine.workingFolder, options.path);
  await using app = await connect(host, folders, { isShared: false });
  const result = await unlessStopped(host.stop, "Stopped.", app.client.models.check({ path }));
  const { ok, problems } = result;
  if (json) printJson(host.terminal, result);
  else print(host.terminal, ok ? "The file is whole.\n" : `${problems.map(oneLine).join("\n")}\n`);
  if (ok) return;
  const found = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  const sentence = `${basename(path)} cannot be used: the check found ${found}. The file was left as it is.`;
  throw new RepriseError("MODEL_INVALID", sentence, { path, reason: problems[0] ?? "" });
}
