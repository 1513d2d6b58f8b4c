import { chooseModel } from "./choose-model.ts";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { CommonOptions } from "./invocation.ts";
import { modelsSubcommand } from "./models-subcommand.ts";
import { unlessStopped } from "./stop.ts";
import { print, printJson } from "./terminal.ts";

interface RetryOptions extends CommonOptions {
  readonly model: string;
}

/** JSON: `{modelId}`. */
export const retryModel = modelsSubcommand<RetryOptions>({
  grammar: "retry <id|path>",
  description: "load a model again over which the engine stopped",
  read: (options, [model = ""]) => ({ ...options, model }),
  run: retry,
});

/** Throws what loading throws: ENGINE_CRASHED where it is no better than before. */
async function retry({ model, json, folders }: RetryOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, folders, { isShared: false });
  const modelId = await chooseModel(app.client, model);
  await unlessStopped(host.stop, "Stopped.", app.client.models.load({ modelId, retry: true }));
  if (json) printJson(host.terminal, { modelId });
  else print(host.terminal, "It was loaded, and can be used again.\n");
}
