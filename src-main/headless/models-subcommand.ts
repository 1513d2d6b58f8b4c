/** One subcommand of `reprise models`: its grammar, and what it does. */
import type { Command } from "commander";
import type { CommandHost } from "./command-host.ts";
import { common, type CommonValues } from "./grammar-parts.ts";
import type { CommonOptions, ModelsInvocation } from "./invocation.ts";

interface Definition<Options extends CommonOptions, Values> {
  /** Name and arguments, as commander writes them: `get <name>`. */
  readonly grammar: string;
  readonly description: string;
  /** Adds its own options; those that all commands have are there already. */
  readonly configure?: (command: Command) => void;
  /** What was asked for, from the words after the name and the values of the options. */
  readonly read: (common: CommonOptions, words: readonly string[], values: Values) => Options;
  /** Throws RepriseErrors and Stopped. */
  readonly run: (options: Options, host: CommandHost) => Promise<void>;
}

export interface ModelsSubcommand {
  readonly grammar: string;
  readonly description: string;
  readonly configure: (command: Command) => void;
  /** `command` has been given its words. */
  readonly invocation: (command: Command) => ModelsInvocation;
}

export function modelsSubcommand<Options extends CommonOptions, Values = unknown>(
  definition: Definition<Options, Values>,
): ModelsSubcommand {
  const { grammar, description, configure = () => undefined, read, run } = definition;
  const subcommand = grammar.split(" ")[0] ?? grammar;
  return {
    grammar,
    description,
    configure,
    invocation: (command) => {
      // The options that all have may stand before the subcommand, and belong to its parent then.
      const values = command.optsWithGlobals<CommonValues & Values>();
      const options = read(common(values), command.args, values);
      return { command: "models", subcommand, options, run: (host) => run(options, host) };
    },
  };
}
