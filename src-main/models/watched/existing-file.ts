import { stat } from "node:fs/promises";
import type { ModelSource } from "../../contract/model.ts";
import { isMissing } from "../storage-trouble.ts";
import type { WatchedFile } from "./watched-file.ts";

/** `null` where there is no file, for instance because the program deleted it and kept its notes. Throws the system's error. */
export async function existingFile(
  path: string,
  source: ModelSource,
  name: string | null = null,
): Promise<WatchedFile | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? { path, source, sizeBytes: found.size, name } : null;
  } catch (caught) {
    if (isMissing(caught)) return null;
    throw caught;
  }
}
