/** What the grammar of every command has in common. */
import { type Command, Option } from "commander";
import type { CommonOptions } from "./invocation.ts";

export interface CommonValues {
  readonly data?: string;
  readonly models?: string;
  readonly json?: true;
}

/** Adds a command with the options that all have. */
export function subcommand(parent: Command, grammar: string, description: string): Command {
  return parent
    .command(grammar)
    .description(description)
    .option("--json", "print one JSON document")
    .addOption(new Option("--data <dir>", "data folder"))
    .addOption(new Option("--models <dir>", "models folder"));
}

export function common(values: CommonValues): CommonOptions {
  return { folders: { data: values.data ?? null, models: values.models ?? null }, json: values.json ?? false };
}
