import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { applicationId } from "./application-id.ts";
import { supportedVersion } from "./migrations/all-migrations.ts";
import { refuseNewer, schemaVersion } from "./schema-version.ts";

const busyTimeoutMs = 5_000;
const magic = "SQLite format 3\0";

/** The file is no usable database of Reprise; it is left as it was found. */
export class DamagedDatabaseError extends Error {
  override readonly name = "DamagedDatabaseError";
}

function sizeBytes(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function startsWithMagic(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(magic.length);
    readSync(file, start, 0, start.length, 0);
    return start.toString("latin1") === magic;
  } finally {
    closeSync(file);
  }
}

/**
 * Looks at the file before SQLite does: SQLite deletes the log of a database that is missing or empty, and the log may
 * hold all there is.
 */
function checkFile(path: string): void {
  if (existsSync(path) && !statSync(path).isFile()) throw new DamagedDatabaseError("it is not a file");
  if (sizeBytes(path) === 0) {
    if (sizeBytes(`${path}-wal`) > 0) throw new DamagedDatabaseError("the file is empty, but its log is not");
  } else if (!startsWithMagic(path)) {
    throw new DamagedDatabaseError("it does not begin as a database does");
  }
}

/** A file that never held anything has version 0 and no tables; every other one must carry our mark. */
function checkOwner(database: Database.Database): void {
  const isNew =
    schemaVersion(database) === 0 && database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (!isNew && database.pragma("application_id", { simple: true }) !== applicationId) {
    throw new DamagedDatabaseError("it was not written by Reprise");
  }
}

function rebuildSearch(database: Database.Database): void {
  try {
    database.exec(`
      INSERT INTO message_search (message_search) VALUES ('rebuild');
      INSERT INTO conversation_search (conversation_search) VALUES ('rebuild');
    `);
  } catch (caught) {
    throw new DamagedDatabaseError("its search index is beyond repair", { cause: caught });
  }
}

/** The search index can be made again from the messages; any other damage cannot be undone. */
function checkPages(database: Database.Database): void {
  const findings = (database.pragma("quick_check") as { quick_check: string }[]).map((row) => row.quick_check);
  const problems = findings.filter((finding) => finding !== "ok");
  const beyondSearch = problems.filter((problem) => !/fts5/i.test(problem));
  if (beyondSearch.length > 0) throw new DamagedDatabaseError(beyondSearch.slice(0, 3).join("; "));
  if (problems.length > 0) rebuildSearch(database);
}

function setUp(database: Database.Database, checkEveryPage: boolean): void {
  checkOwner(database);
  refuseNewer(database, supportedVersion);
  database.pragma("foreign_keys = ON");
  // Overwrites what is deleted, instead of leaving deleted conversations readable in the file.
  database.pragma("secure_delete = ON");
  database.pragma("journal_mode = WAL");
  // After the journal mode: SQLite's default for WAL would lose the last commits when the power fails.
  database.pragma("synchronous = FULL");
  // macOS: makes the disk itself write before pages move from the log to the database. Elsewhere it does nothing.
  database.pragma("checkpoint_fullfsync = ON");
  if (checkEveryPage) checkPages(database);
}

/**
 * Opens the database or creates it, for its owner only. Checks every page when the last process did not close it.
 * Throws DamagedDatabaseError, DATABASE_NEWER, or what SQLite or the file system threw.
 */
export function openDatabase(path: string): Database.Database {
  checkFile(path);
  const wasLeftOpen = sizeBytes(`${path}-wal`) > 0;
  closeSync(openSync(path, "a", 0o600));
  const database = new Database(path, { timeout: busyTimeoutMs });
  try {
    setUp(database, wasLeftOpen);
  } catch (caught) {
    database.close();
    throw caught;
  }
  return database;
}
