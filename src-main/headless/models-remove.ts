/** `reprise models remove`: takes a model off the list, with its file only where that was asked for. */
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { CommonOptions } from "./invocation.ts";
import { modelsSubcommand } from "./models-subcommand.ts";
import { print, printJson } from "./terminal.ts";
import { uniqueMatch } from "./unique-match.ts";

interface RemoveOptions extends CommonOptions {
  readonly id: string;
  readonly deletesFile: boolean;
}

export const removeModel = modelsSubcommand<RemoveOptions, { deleteFile?: true }>({
  grammar: "remove <id>",
  description: "take an added file off the list; a file of the models folder only with --delete-file",
  configure: (command) => {
    command.option("--delete-file", "delete the file, too");
  },
  read: (options, [id = ""], values) => ({ ...options, id, deletesFile: values.deleteFile ?? false }),
  run: remove,
});

/** JSON: `{id, path, isFileDeleted}`. */
async function remove({ id: text, deletesFile, folders, json }: RemoveOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, folders, { isShared: false });
  const files = await app.client.models.list();
  const places = files.flatMap(({ id, path, copies }) => [
    { id, path },
    ...copies.map((copy) => ({ id: copy.modelId, path: copy.path })),
  ]);
  const { id, path } = uniqueMatch("model", text, places);
  await app.client.models.remove({ modelId: id, deletesFile });
  if (json) printJson(host.terminal, { id, path, isFileDeleted: deletesFile });
  else
    print(
      host.terminal,
      deletesFile ? `${path} is deleted.\n` : `${path} is off the list. The file was left as it is.\n`,
    );
}
