import type { AppClient } from "../contract/app-contract.ts";
import type { ModelFile } from "../contract/model.ts";
import { RepriseError } from "../contract/errors.ts";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { ListOptions } from "./invocation.ts";
import { renderModels } from "./listings.ts";
import { modelsSubcommand } from "./models-subcommand.ts";
import { unlessStopped } from "./stop.ts";
import { print, printJson } from "./terminal.ts";

/** JSON: the files as the contract has them. */
export const listModels = modelsSubcommand<ListOptions>({
  grammar: "list",
  description: "list the model files (also without a subcommand)",
  read: (options) => options,
  run: list,
});

async function list(options: ListOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, options.folders, { isShared: false });
  const models = await unlessStopped(host.stop, "Stopped.", inspectedModels(app.client));
  if (options.json) printJson(host.terminal, models);
  else print(host.terminal, `${renderModels(models)}\n`);
}

/** The list, once every file has been looked into. */
async function inspectedModels(client: AppClient): Promise<readonly ModelFile[]> {
  for await (const models of await client.models.watch()) {
    if (models.every(({ summary, problem }) => summary !== null || problem !== null)) return models;
  }
  throw new RepriseError("CONNECTION_LOST", "Reprise was closed while it was looking into the model files.", {});
}
