import { applicationId } from "../application-id.ts";
import type { Migration } from "./migration.ts";

/**
 * `number` is the order of creation and the only row id: full-text search and reports refer to it, and VACUUM keeps it
 * because it is declared. A parent always has the smaller number. The composite foreign keys keep every tree, and every
 * active leaf, inside its own conversation. The parent key does not cascade: a long thread would exceed SQLite's trigger
 * depth, and all messages go with their conversation anyway.
 */
const schema = `
  CREATE TABLE conversation (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    model_id TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
    folder TEXT,
    overflow_policy TEXT NOT NULL CHECK (overflow_policy IN ('ask', 'drop-oldest', 'stop')),
    active_leaf_id TEXT,
    sampling TEXT NOT NULL CHECK (json_valid(sampling)),
    system_prompt TEXT NOT NULL,
    FOREIGN KEY (id, active_leaf_id) REFERENCES message (conversation_id, id) DEFERRABLE INITIALLY DEFERRED
  ) STRICT;
  CREATE INDEX conversation_by_use ON conversation (updated_at DESC, number DESC);

  CREATE TABLE message (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    parent_id TEXT,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    status TEXT NOT NULL CHECK (status IN ('streaming', 'complete', 'stopped', 'failed')),
    created_at INTEGER NOT NULL,
    model_name TEXT,
    error TEXT CHECK (error IS NULL OR json_valid(error)),
    content TEXT NOT NULL,
    reasoning TEXT,
    tokens BLOB CHECK (tokens IS NULL OR length(tokens) % 4 = 0),
    UNIQUE (conversation_id, id),
    FOREIGN KEY (conversation_id, parent_id) REFERENCES message (conversation_id, id)
  ) STRICT;
  CREATE INDEX message_by_parent ON message (conversation_id, parent_id, number, id);
  CREATE INDEX message_streaming ON message (number) WHERE status = 'streaming';

  CREATE TABLE turn_report (
    message_number INTEGER PRIMARY KEY REFERENCES message (number) ON DELETE CASCADE,
    report TEXT NOT NULL CHECK (json_valid(report))
  ) STRICT;

  CREATE TABLE model_file (
    id TEXT PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    added_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE thread_tuning (
    key TEXT PRIMARY KEY,
    tuning TEXT NOT NULL CHECK (json_valid(tuning)),
    measured_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE setting (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL CHECK (json_valid(value))
  ) STRICT;
`;

export const initial: Migration = {
  version: 1,
  up(database) {
    database.exec(schema);
    database.pragma(`application_id = ${applicationId}`);
  },
};
