import type { Database } from "better-sqlite3";

/** One numbered step of the schema. Once released it never changes; what comes later is a new step. */
export interface Migration {
  /** The database's `user_version` once this step is done. */
  readonly version: number;
  /** Runs inside a transaction, with foreign keys checked at its end rather than during it. */
  up(database: Database): void;
}
