import type { Migration } from "./migration.ts";

/** Model files that brought the engine down, and are not loaded again before the user says so. */
const schema = `
  CREATE TABLE quarantined_file (
    path TEXT PRIMARY KEY,
    stamp TEXT NOT NULL,
    cause TEXT NOT NULL,
    quarantined_at INTEGER NOT NULL
  ) STRICT;
`;

export const quarantine: Migration = {
  version: 4,
  up(database) {
    database.exec(schema);
  },
};
