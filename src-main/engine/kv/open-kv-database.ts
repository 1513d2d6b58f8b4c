/** Opens kv.db, or says why it cannot be used. Nothing in it is needed, so a damaged one is simply begun anew. */
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { configure, createSchema, ownerOf } from "./kv-schema.ts";
import { storeFailure, type StoreFailure } from "./store-problem.ts";

const busyTimeoutMs = 1_000;
const magic = "SQLite format 3\0";
/** The last belong to other journal modes; a stray one would be played back into a new database of this name. */
const suffixes = ["", "-journal", "-wal", "-shm"];

export type OpenedKvDatabase =
  | {
      readonly kind: "open";
      readonly database: Database.Database;
      /** Whether what was there could not be used. */
      readonly startedAnew: "damaged" | "older" | null;
    }
  | ({ readonly kind: "off" } & StoreFailure);

/** `path`: absolute. Never throws. */
export function openKvDatabase(path: string): OpenedKvDatabase {
  try {
    if (isNoDatabase(path)) return beginAnew(path, "damaged");
    return openExisting(path);
  } catch (caught) {
    const failure = storeFailure(caught);
    return failure.reason === "damaged" ? replaceKvDatabase(path) : { kind: "off", ...failure };
  }
}

/** Puts an empty database in the place of whatever is there. Never throws. */
export function replaceKvDatabase(path: string): OpenedKvDatabase {
  try {
    return beginAnew(path, "damaged");
  } catch (caught) {
    return { kind: "off", ...storeFailure(caught) };
  }
}

function openExisting(path: string): OpenedKvDatabase {
  const database = connect(path);
  const owner = ownerOrClose(database);
  switch (owner) {
    case "ours":
      return ready(database, null);
    case "new":
    case "older":
      database.close();
      return beginAnew(path, owner === "older" ? "older" : null);
    case "newer":
    case "foreign": {
      database.close();
      const detail = `${path} is ${owner === "newer" ? "from a newer Reprise" : "not Reprise's"}; it was left as it is`;
      return { kind: "off", reason: owner, detail };
    }
  }
}

function beginAnew(path: string, startedAnew: "damaged" | "older" | null): OpenedKvDatabase {
  for (const suffix of suffixes) rmSync(path + suffix, { force: true });
  const database = connect(path);
  try {
    createSchema(database);
  } catch (caught) {
    database.close();
    throw caught;
  }
  return ready(database, startedAnew);
}

function ready(database: Database.Database, startedAnew: "damaged" | "older" | null): OpenedKvDatabase {
  try {
    configure(database);
  } catch (caught) {
    database.close();
    throw caught;
  }
  return { kind: "open", database, startedAnew };
}

function connect(path: string): Database.Database {
  // Created here and not by SQLite: it is for its owner only.
  closeSync(openSync(path, "a", 0o600));
  return new Database(path, { timeout: busyTimeoutMs });
}

function ownerOrClose(database: Database.Database) {
  try {
    return ownerOf(database);
  } catch (caught) {
    database.close();
    throw caught;
  }
}

function isNoDatabase(path: string): boolean {
  if (!existsSync(path) || statSync(path).size === 0) return false;
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(magic.length);
    readSync(file, start, 0, start.length, 0);
    return start.toString("latin1") !== magic;
  } finally {
    closeSync(file);
  }
}
