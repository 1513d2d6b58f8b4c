/** The statements of kv.db for what is remembered of prompts. Nothing here decides or remembers anything. */
import type { Database } from "better-sqlite3";

export interface PromptRow {
  readonly id: number;
  readonly conversationId: string;
  /** JSON: all of the record but its tokens. */
  readonly facts: string;
  readonly tokens: Buffer;
  /** Of facts and tokens. */
  readonly checksum: number;
}

export function createPromptTables(database: Database) {
  const list = database.prepare<[], PromptRow>(
    "SELECT id, conversation_id AS conversationId, facts, tokens, checksum FROM prompt ORDER BY id",
  );
  const insert = database.prepare<PromptRow>(
    "INSERT INTO prompt (id, conversation_id, facts, tokens, checksum) VALUES (@id, @conversationId, @facts, @tokens, @checksum)",
  );
  const remove = database.prepare<[number]>("DELETE FROM prompt WHERE id = ?");
  const forget = database.prepare<[string]>("DELETE FROM prompt WHERE conversation_id = ?");
  return {
    /** In the order in which they were asked; whether they are whole is for the reader to say. */
    list: (): PromptRow[] => list.all(),
    insert: (row: PromptRow): void => {
      insert.run(row);
    },
    remove: (id: number): void => {
      remove.run(id);
    },
    forget: (conversationId: string): void => {
      forget.run(conversationId);
    },
  };
}
