import { join } from "node:path";
import Database from "better-sqlite3";
import { migrate } from "../../src-main/store/migrate.ts";
import { allMigrations } from "../../src-main/store/migrations/all-migrations.ts";

/** SQL of that version, never to be changed with the store's own. */
const rows = `
  BEGIN;
  INSERT INTO conversation (number, id, title, model_id, created_at, updated_at, pinned, archived, folder,
    overflow_policy, active_leaf_id, sampling, system_prompt) VALUES
    (1, 'c1', 'Straße nach Süden', NULL, 1000, 5000, 1, 0, 'Reisen', 'ask', 'm3',
      '{"temperature":0.7,"topK":40,"topP":0.95,"minP":0.05,"repeatPenalty":1.1,"repeatPenaltyTokens":64,"seed":null,"maxTokens":null,"stop":[]}', 'Be brief.'),
    (2, 'c2', '', 'model1', 2000, 2000, 0, 1, NULL, 'stop', NULL, '{}', '');
  INSERT INTO message (number, id, conversation_id, parent_id, role, status, created_at, model_name, error, content,
    tokens) VALUES
    (1, 'm1', 'c1', NULL, 'user', 'complete', 1000, NULL, NULL, 'Which way?', NULL),
    (2, 'm2', 'c1', 'm1', 'assistant', 'complete', 1001, 'a.gguf', NULL, 'Past the lighthouse.', x'0100000002000000'),
    (3, 'm3', 'c1', 'm1', 'assistant', 'streaming', 1002, 'a.gguf', NULL, 'Along the harb', NULL);
  INSERT INTO model_file VALUES ('model1', '/models/a.gguf', 500);
  INSERT INTO setting VALUES ('theme', '"dark"');
  COMMIT;
`;

/** A database as version 1 left it, in the folder: two conversations, one with an answer that was being written. */
export function createVersion1Database(folder: string): string {
  const path = join(folder, "reprise.db");
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  migrate(database, allMigrations.slice(0, 1), () => undefined);
  database.exec(rows);
  database.close();
  return path;
}
