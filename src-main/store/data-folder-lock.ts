/**
 * One process a data folder. The lock is SQLite's own exclusive lock on a file without content: the operating
 * system gives it back when the process ends, however it ends. The file stays; removing it would let two processes lock
 * two files of one name.
 */
import { accessSync, constants, readFileSync, truncateSync } from "node:fs";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { RepriseError } from "../contract/errors.ts";
import { ensureDataFolder, toOpeningError } from "./data-folder.ts";
import { storageErrorCode } from "./storage-errors.ts";

/** Two processes that try in the same moment see each other's first step; without a second try both would give up. */
const busyTimeoutMs = 100;

const instanceSchema = z.object({ pid: z.int() });

/** What the running process says of itself in `instance.json`; `null` where it says nothing. */
function runningProcessId(folder: string): number | null {
  try {
    const instance = instanceSchema.safeParse(JSON.parse(readFileSync(join(folder, "instance.json"), "utf8")));
    return instance.success ? instance.data.pid : null;
  } catch {
    return null;
  }
}

function alreadyRunning(folder: string): RepriseError<"ALREADY_RUNNING"> {
  const pid = runningProcessId(folder);
  const process = pid === null ? "Another Reprise" : `Another Reprise (process ${pid})`;
  return new RepriseError(
    "ALREADY_RUNNING",
    `${process} is using the data folder ${folder}. Nothing was changed. Use that one, close it first, or choose another data folder.`,
    { dataFolder: folder, pid },
  );
}

/** Connections that hold a lock: one that nobody refers to is closed by the garbage collector, and its lock let go. */
const held = new Set<Database.Database>();

/**
 * A rollback journal, not WAL: in WAL an exclusive transaction still lets others read, and a second process could go on.
 * Of a file it may not write SQLite takes a shared lock without a word, hence the look at the permissions before.
 */
function lockFile(path: string): Database.Database {
  const database = new Database(path, { timeout: busyTimeoutMs });
  try {
    accessSync(path, constants.W_OK);
    // Locking an empty file would write to it each time, which a full disk does not allow.
    if (database.pragma("page_count", { simple: true }) === 0) database.pragma("user_version = 1");
    database.exec("BEGIN EXCLUSIVE");
  } catch (caught) {
    database.close();
    throw caught;
  }
  return database;
}

/** Whatever was written into the file is not ours; a process that holds it keeps its lock over the emptying. */
function lockFileEmptied(path: string): Database.Database {
  try {
    return lockFile(path);
  } catch (caught) {
    if (storageErrorCode(caught) !== "SQLITE_NOTADB") throw caught;
    truncateSync(path);
    return lockFile(path);
  }
}

/**
 * Takes the folder for this process, creating it where it is missing.
 * Throws ALREADY_RUNNING, FOLDER_UNWRITABLE, STORAGE_FAILED.
 */
export function lockDataFolder(folder: string): { release(): void } {
  ensureDataFolder(folder);
  try {
    const database = lockFileEmptied(resolve(folder, "lock.db"));
    held.add(database);
    return {
      release: () => {
        held.delete(database);
        database.close();
      },
    };
  } catch (caught) {
    const isHeld = storageErrorCode(caught)?.startsWith("SQLITE_BUSY") === true;
    throw isHeld ? alreadyRunning(folder) : toOpeningError(caught, folder);
  }
}
