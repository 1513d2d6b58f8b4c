import type { Database } from "better-sqlite3";
import { pageBytes } from "./stored-block.ts";

/** SQLite's `application_id` of the store ("RPKV"). */
const applicationId = 0x52504b56;
/** Of an older version nothing is converted: the store is begun anew. */
const version = 3;

/** Payloads lie in a table of their own, so that what lists and evicts blocks never reads them. */
const schema = `
  CREATE TABLE block (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    parent TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('rows', 'snapshot')),
    position INTEGER NOT NULL,
    tokens BLOB NOT NULL,
    steps BLOB NOT NULL,
    steps_before INTEGER NOT NULL,
    payload_bytes INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    conversation_id TEXT,
    turn_id TEXT,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    use REAL NOT NULL
  ) STRICT;

  CREATE TABLE payload (
    block_id INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
  ) STRICT;

  CREATE TABLE fingerprint (
    fingerprint TEXT PRIMARY KEY,
    parts TEXT NOT NULL CHECK (json_valid(parts)),
    layout TEXT CHECK (layout IS NULL OR json_valid(layout))
  ) STRICT;

  CREATE TABLE weights_hash (
    path TEXT PRIMARY KEY,
    identity TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;

  CREATE TABLE eviction (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    entry TEXT NOT NULL CHECK (json_valid(entry))
  ) STRICT;

  CREATE TABLE prompt (
    id INTEGER PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    facts TEXT NOT NULL CHECK (json_valid(facts)),
    tokens BLOB NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE lost_block (
    key TEXT NOT NULL UNIQUE,
    parent TEXT NOT NULL,
    token_count INTEGER NOT NULL,
    reason TEXT NOT NULL,
    conversation_id TEXT
  ) STRICT;

  CREATE TABLE total (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT;
`;

export type Owner = "ours" | "new" | "older" | "newer" | "foreign";

/** Whose file this is, from its own mark. Reads nothing but the header and the schema. */
export function ownerOf(database: Database): Owner {
  const found = database.pragma("user_version", { simple: true }) as number;
  if (database.pragma("application_id", { simple: true }) === applicationId) {
    if (found > version) return "newer";
    return found === version ? "ours" : "older";
  }
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  return isEmpty && found === 0 ? "new" : "foreign";
}

/** In a file that holds nothing yet: the size of pages cannot be changed later. */
export function createSchema(database: Database): void {
  database.pragma(`page_size = ${pageBytes}`);
  database.pragma("auto_vacuum = INCREMENTAL");
  database.transaction(() => {
    database.exec(schema);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${version}`);
  })();
}

/** Those with the tokens of what people wrote. */
const tokenTables = ["block", "prompt"];

/**
 * SQLite moves rows between pages when others are removed, and leaves a copy where they were that is never overwritten
 * once they are removed too. New pages have none.
 */
export function rewriteTokens(database: Database): void {
  database.transaction(() => {
    for (const table of tokenTables) {
      database.exec(`
        CREATE TEMP TABLE kept AS SELECT * FROM ${table};
        DELETE FROM ${table};
        INSERT INTO ${table} SELECT * FROM kept ORDER BY rowid;
        DROP TABLE kept;`);
    }
  })();
}

/**
 * A rollback journal, not a log written ahead: with the log every block is written twice, and merging it stops
 * everything for tens of milliseconds at a time. Not synchronized: what a power failure damages is noticed by its
 * checksum and computed again, and a killed process damages nothing.
 */
export function configure(database: Database): void {
  database.pragma("journal_mode = TRUNCATE");
  database.pragma("synchronous = OFF");
  // Blocks are read once each; what SQLite would keep of them helps nobody.
  database.pragma("cache_size = -4096");
  // Overwrites the tokens of what is removed, as far as that writes no page that is not written anyway.
  database.pragma("secure_delete = FAST");
  // Else a temporary file would hold what rewriteTokens removes.
  database.pragma("temp_store = MEMORY");
}
