import type { Migration } from "./migration.ts";

/**
 * What was found in a file is valid while size and time are the same. Settings outlive the files they are for: a file
 * that comes back, and a family that gets another level, have them again.
 */
const schema = `
  CREATE TABLE model_facts (
    path TEXT PRIMARY KEY,
    size_bytes INTEGER NOT NULL,
    modified_ms REAL NOT NULL,
    facts TEXT CHECK (facts IS NULL OR json_valid(facts)),
    sha256 TEXT
  ) STRICT;

  CREATE TABLE load_options (
    model_id TEXT PRIMARY KEY,
    options TEXT NOT NULL CHECK (json_valid(options))
  ) STRICT;

  CREATE TABLE family_settings (
    family_id TEXT PRIMARY KEY,
    settings TEXT NOT NULL CHECK (json_valid(settings))
  ) STRICT;
`;

export const modelLibrary: Migration = {
  version: 5,
  up(database) {
    database.exec(schema);
  },
};
