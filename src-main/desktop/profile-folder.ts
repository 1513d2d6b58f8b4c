import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { RepriseError } from "../contract/errors.ts";

/**
 * Where Chromium keeps its own files, made where it is missing. The lock of the single instance lies there too: one
 * desktop app for each data folder. Throws FOLDER_UNWRITABLE.
 */
export function prepareProfileFolder(dataFolder: string): string {
  const folder = join(dataFolder, "desktop");
  try {
    mkdirSync(folder, { recursive: true });
  } catch (caught) {
    const reason = caught instanceof Error ? caught.message : String(caught);
    const sentence = `Reprise cannot write to its data folder ${dataFolder} (${reason}). Nothing was changed. Make the folder writable, or choose another one with REPRISE_DATA.`;
    throw new RepriseError("FOLDER_UNWRITABLE", sentence, { path: dataFolder, reason }, { cause: caught });
  }
  return folder;
}
