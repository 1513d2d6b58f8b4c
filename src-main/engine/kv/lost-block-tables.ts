/** The statements of kv.db for blocks that are no longer in it. Nothing here decides or remembers anything. */
import type { Database } from "better-sqlite3";
import type { BlockKey } from "./block-key.ts";

export interface LostBlockRow {
  readonly key: BlockKey;
  readonly parent: BlockKey;
  readonly tokenCount: number;
  readonly reason: string;
  readonly conversationId: string | null;
}

/** As many as are kept. */
export const lostBlockLimit = 2_000;

export function createLostBlockTables(database: Database) {
  const note = database.prepare<LostBlockRow>(
    `INSERT OR REPLACE INTO lost_block (key, parent, token_count, reason, conversation_id)
     VALUES (@key, @parent, @tokenCount, @reason, @conversationId)`,
  );
  const trim = database.prepare<[number]>(
    "DELETE FROM lost_block WHERE rowid <= (SELECT rowid FROM lost_block ORDER BY rowid DESC LIMIT 1 OFFSET ?)",
  );
  const behind = database.prepare<[string], LostBlockRow>(
    `SELECT key, parent, token_count AS tokenCount, reason, conversation_id AS conversationId
     FROM lost_block WHERE parent = ? ORDER BY rowid DESC`,
  );
  const remove = database.prepare<[string]>("DELETE FROM lost_block WHERE key = ?");
  const forget = database.prepare<[string]>("DELETE FROM lost_block WHERE conversation_id = ?");
  const conversationIds = database
    .prepare<[], string>("SELECT DISTINCT conversation_id FROM lost_block WHERE conversation_id IS NOT NULL")
    .pluck();
  return {
    /** Returns how many of the oldest had to go for it. */
    note: (row: LostBlockRow): number => {
      note.run(row);
      return trim.run(lostBlockLimit).changes;
    },
    /** Those that stood on a block, the last one lost first. */
    behind: (parent: BlockKey): LostBlockRow[] => behind.all(parent),
    conversationIds: (): string[] => conversationIds.all(),
    remove: (key: BlockKey): void => {
      remove.run(key);
    },
    forget: (conversationId: string): void => {
      forget.run(conversationId);
    },
  };
}
