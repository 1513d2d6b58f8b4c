/** `reprise models` and its subcommands: each has a file of its own and one line here. */
import type { Command } from "commander";
import { subcommand } from "./grammar-parts.ts";
import type { Invocation } from "./invocation.ts";
import { checkModel } from "./models-check.ts";
import { getModel } from "./models-get.ts";
import { inspectModel } from "./models-inspect.ts";
import { listModels } from "./models-list.ts";
import { planModel } from "./models-plan.ts";
import { proposeModels } from "./models-proposals.ts";
import { quantizeModel } from "./models-quantize.ts";
import { removeModel } from "./models-remove.ts";
import { retryModel } from "./models-retry.ts";
import { modelTemplate } from "./models-template.ts";

const looking = [listModels, inspectModel, planModel, checkModel] as const;
/** In the order in which the help has them. */
const subcommands = [
  ...looking,
  modelTemplate,
  retryModel,
  proposeModels,
  getModel,
  quantizeModel,
  removeModel,
] as const;

/** Without a subcommand it lists. */
export function addModels(program: Command, found: (invocation: Invocation) => void): void {
  const group = subcommand(program, "models", "list the model files, or do something with models");
  for (const { grammar, description, configure, invocation } of subcommands) {
    const command = subcommand(group, grammar, description).action(() => {
      found(invocation(command));
    });
    configure(command);
  }
  group.allowExcessArguments().action(() => {
    const [word] = group.args;
    if (word === undefined) found(listModels.invocation(group));
    else
      group.error(
        `unknown command 'models ${word}'. There are ${group.commands.map((each) => each.name()).join(", ")}.`,
      );
  });
}
