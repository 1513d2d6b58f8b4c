import type { Database } from "better-sqlite3";
import type { Migration } from "./migrations/migration.ts";
import { schemaVersion } from "./schema-version.ts";

function applyMigration(database: Database, migration: Migration): void {
  database
    .transaction(() => {
      migration.up(database);
      const violations = database.pragma("foreign_key_check") as unknown[];
      if (violations.length > 0)
        throw new Error(`Migration ${migration.version} breaks ${violations.length} references`);
      database.pragma(`user_version = ${migration.version}`);
    })
    .immediate();
}

/**
 * Brings the database to the last of `migrations`, each in a transaction of its own, so that one that is interrupted
 * has not happened. `backUp` is called before the first change to a database that holds something.
 */
export function migrate(database: Database, migrations: readonly Migration[], backUp: (version: number) => void): void {
  const found = schemaVersion(database);
  const pending = migrations.filter((migration) => migration.version > found);
  if (pending.length === 0) return;
  if (found > 0) backUp(found);
  // Rebuilding a table that others refer to needs them off, and they cannot be switched inside a transaction.
  database.pragma("foreign_keys = OFF");
  try {
    for (const migration of pending) applyMigration(database, migration);
  } finally {
    database.pragma("foreign_keys = ON");
  }
}
