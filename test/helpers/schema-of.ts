import type { Database } from "better-sqlite3";

/** Everything a database declares, by name. */
export function schemaOf(database: Database): unknown[] {
  return database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all();
}
