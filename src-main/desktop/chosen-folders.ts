import { parseArgs } from "node:util";
import type { ChosenFolders } from "../app/folders.ts";

/** `--data DIR` and `--models DIR` of the command line, as the `reprise` command has them. The rest is Electron's. */
export function chosenFolders(commandLine: readonly string[]): ChosenFolders {
  const { values } = parseArgs({
    args: [...commandLine],
    options: { data: { type: "string" }, models: { type: "string" } },
    strict: false,
  });
  const folder = (value: string | boolean | undefined) => (typeof value === "string" && value !== "" ? value : null);
  return { data: folder(values.data), models: folder(values.models) };
}
