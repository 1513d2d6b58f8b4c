import type { Database } from "better-sqlite3";
import { RepriseError } from "../contract/errors.ts";

/** 0 for a database without tables. */
export function schemaVersion(database: Database): number {
  return database.pragma("user_version", { simple: true }) as number;
}

/** Throws DATABASE_NEWER for a version beyond `supported`. */
export function refuseNewer(database: Database, supported: number): void {
  const found = schemaVersion(database);
  if (found <= supported) return;
  throw new RepriseError(
    "DATABASE_NEWER",
    `The conversations in ${database.name} were written by a newer Reprise (database version ${found}; this one reads up to ${supported}). Nothing was changed. Update Reprise, or start it with another data folder.`,
    { path: database.name, found, supported },
  );
}
