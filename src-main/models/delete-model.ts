import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RepriseError } from "../contract/errors.ts";
import { isMissing } from "./storage-trouble.ts";

const partName = /^(.+)-\d{5}-of-(\d{5})\.gguf$/i;

/** Deletes a model's file, all parts of one in several. What is gone already is no error. Throws STORAGE_FAILED. */
export async function deleteModel(path: string): Promise<void> {
  try {
    for (const part of await partsOf(path)) await rm(part, { force: true });
  } catch (caught) {
    if (isMissing(caught)) return;
    const detail = caught instanceof Error ? caught.message : String(caught);
    const sentence = `${basename(path)} could not be deleted (${detail}). It stays on the list. Close what uses it and try again.`;
    throw new RepriseError("STORAGE_FAILED", sentence, { reason: "other", detail }, { cause: caught });
  }
}

async function partsOf(path: string): Promise<string[]> {
  const [, stem, count] = partName.exec(basename(path)) ?? [];
  if (stem === undefined) return [path];
  const names = await readdir(dirname(path));
  const isPart = (name: string) => {
    const [, otherStem, otherCount] = partName.exec(name) ?? [];
    return otherStem === stem && otherCount === count;
  };
  return names.filter(isPart).map((name) => join(dirname(path), name));
}
