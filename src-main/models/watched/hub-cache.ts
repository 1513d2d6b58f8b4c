/** The hub's cache has a folder for each repository, and in it one of links into its blobs for each revision. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ModelFolder } from "../model-folder.ts";
import type { WatchedFile } from "./watched-file.ts";

/** `owner/repository` of `models--owner--repository`; `null` for what is no model's folder. Pure. */
export function repositoryOf(folderName: string): string | null {
  const [kind, ...rest] = folderName.split("--");
  return kind === "models" && rest.length > 0 ? rest.join("/") : null;
}

/** Throws the system's error, STORAGE_FAILED. */
export async function findHubCacheModels(folder: string): Promise<WatchedFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => repositoryOf(name) !== null)
      .map(({ name }) => new ModelFolder(join(folder, name, "snapshots"), readableAdvice).list()),
  );
  return found.flat().map(({ path, sizeBytes }) => ({ path, sizeBytes, source: "hub-cache", name: null }));
}

const readableAdvice = "Make it readable to list its models.";
