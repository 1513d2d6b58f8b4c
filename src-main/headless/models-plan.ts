import { resolve } from "node:path";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import { renderMemoryPlan } from "./model-file-text.ts";
import type { FileOptions } from "./models-inspect.ts";
import { modelsSubcommand } from "./models-subcommand.ts";
import { readCount } from "./option-values.ts";
import { unlessStopped } from "./stop.ts";
import { print, printJson } from "./terminal.ts";

interface PlanValues {
  readonly context?: number;
  readonly users?: number;
  readonly budget?: number;
}

interface PlanOptions extends FileOptions {
  readonly asked: PlanValues;
}

/** JSON: the plan as the contract has it. */
export const planModel = modelsSubcommand<PlanOptions, PlanValues>({
  grammar: "plan <path>",
  description: "show how much memory a model takes, and how much context fits",
  configure: (command) => {
    command
      .option("--context <n>", "tokens of context, for each user", readCount)
      .option("--users <n>", "conversations held at once", readCount)
      .option("--budget <bytes>", "memory there is for it; all of this machine's where absent", readCount);
  },
  read: (options, [path = ""], { context, users, budget }) => ({
    ...options,
    path,
    asked: {
      ...(context !== undefined && { context }),
      ...(users !== undefined && { users }),
      ...(budget !== undefined && { budget }),
    },
  }),
  run: plan,
});

async function plan({ path, asked, json, folders }: PlanOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, folders, { isShared: false });
  const { context: contextTokens, users, budget: budgetBytes } = asked;
  const input = {
    path: resolve(host.machine.workingFolder, path),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(users !== undefined && { users }),
    ...(budgetBytes !== undefined && { budgetBytes }),
  };
  const result = await unlessStopped(host.stop, "Stopped.", app.client.models.plan(input));
  if (json) printJson(host.terminal, result);
  else print(host.terminal, `${renderMemoryPlan(result)}\n`);
}
