/** Jan keeps a `model.yml` for each model, which names its file: below Jan's data folder, or anywhere where imported. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { existingFile } from "./existing-file.ts";
import type { WatchedFile } from "./watched-file.ts";

/** The files a `model.yml` names, in its order, each once. Pure. */
export function ggufPathsOf(yaml: string): string[] {
  const values = yaml.split(/\r?\n/).flatMap((line) => {
    const [, value = ""] = /^\s*(?:-\s+|[\w-]+:\s+)+(.*)$/.exec(line) ?? [];
    const text = value.replace(/\s+#.*$/, "").trim();
    const [, , quoted] = /^(["'])(.*)\1$/.exec(text) ?? [];
    return quoted?.replaceAll("\\\\", "\\") ?? text;
  });
  return [...new Set(values.filter((value) => value.toLowerCase().endsWith(".gguf")))];
}

/** `folder`: of the models, two below the data folder that paths start from. Throws the system's error. */
export async function findJanModels(folder: string): Promise<WatchedFile[]> {
  const dataFolder = dirname(dirname(folder));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile() && entry.name === "model.yml")
      .map(async ({ parentPath, name }) => {
        const paths = ggufPathsOf(await readFile(join(parentPath, name), "utf8"));
        return Promise.all(
          paths.map(async (path) => {
            if (isAbsolute(path)) return existingFile(path, "jan");
            return (await existingFile(join(dataFolder, path), "jan")) ?? existingFile(join(parentPath, path), "jan");
          }),
        );
      }),
  );
  return found.flat().filter((file) => file !== null);
}
