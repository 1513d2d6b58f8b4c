import { accessSync, constants, mkdirSync } from "node:fs";
import { RepriseError } from "../contract/errors.ts";
import { storageErrorCode, toStorageError } from "./storage-errors.ts";

function folderUnwritable(folder: string, caught: unknown): RepriseError<"FOLDER_UNWRITABLE"> {
  const reason = caught instanceof Error ? caught.message : String(caught);
  return new RepriseError(
    "FOLDER_UNWRITABLE",
    `Reprise cannot write to its data folder ${folder} (${reason}). Nothing was changed. Make the folder writable, or choose another one.`,
    { path: folder, reason },
    { cause: caught },
  );
}

/** Everything the file system refuses but space, and what SQLite makes of it. */
const unwritable = /^(SQLITE_CANTOPEN|SQLITE_READONLY|SQLITE_PERM|E(?!NOSPC))/;

/** What was thrown while a folder was being opened, as FOLDER_UNWRITABLE or STORAGE_FAILED; anything else as it is. */
export function toOpeningError(caught: unknown, folder: string): unknown {
  const code = storageErrorCode(caught);
  return code !== null && unwritable.test(code) ? folderUnwritable(folder, caught) : toStorageError(caught);
}

/** Creates the folder where it is missing, for its owner only. Throws FOLDER_UNWRITABLE, STORAGE_FAILED. */
export function ensureDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK);
  } catch (caught) {
    throw toOpeningError(caught, folder);
  }
}
