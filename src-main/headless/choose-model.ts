import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { AppClient } from "../contract/app-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import { uniqueMatch } from "./unique-match.ts";

function looksLikePath(text: string): boolean {
  return /[/\\]/.test(text) || text.toLowerCase().endsWith(".gguf");
}

/**
 * The id of the model that is meant: one of the list, or a file, which is then added to it. Paths are taken from the
 * working directory of this process, not of the app that may be running elsewhere. Throws NOT_FOUND, MODEL_MISSING
 * and MODEL_INVALID.
 */
export async function chooseModel(client: AppClient, text: string): Promise<string> {
  const path = resolve(text);
  if (looksLikePath(text)) return (await client.models.add({ path })).id;
  const models = await client.models.list();
  const isListed = models.some(({ id }) => id.startsWith(text.toLowerCase()));
  if (isListed) return uniqueMatch("model", text, models).id;
  if (existsSync(path)) return (await client.models.add({ path })).id;
  throw new RepriseError(
    "NOT_FOUND",
    `There is no model “${text}”: neither an id that begins so nor a file of that name. reprise models lists them.`,
    { what: "model", id: text },
  );
}
