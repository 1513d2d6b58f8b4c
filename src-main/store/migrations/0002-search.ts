import type { Migration } from "./migration.ts";

/**
 * Full-text search over titles and messages. The text stays in its own tables (external content); triggers keep the index
 * equal to it. A message that is still streaming is not indexed: its text is written anew every second.
 * Not `secure-delete`: it made deleting a long conversation a hundred times slower, seconds in which nothing else runs.
 */
const schema = `
  CREATE VIEW message_text AS SELECT number, content FROM message WHERE status <> 'streaming';
  CREATE VIRTUAL TABLE message_search USING fts5 (
    content, content = 'message_text', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE conversation_search USING fts5 (
    title, content = 'conversation', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2'
  );

  CREATE TRIGGER message_search_insert AFTER INSERT ON message WHEN new.status <> 'streaming' BEGIN
    INSERT INTO message_search (rowid, content) VALUES (new.number, new.content);
  END;
  CREATE TRIGGER message_search_delete AFTER DELETE ON message WHEN old.status <> 'streaming' BEGIN
    INSERT INTO message_search (message_search, rowid, content) VALUES ('delete', old.number, old.content);
  END;
  CREATE TRIGGER message_search_update AFTER UPDATE OF content, status ON message
  WHEN old.status <> 'streaming' OR new.status <> 'streaming' BEGIN
    INSERT INTO message_search (message_search, rowid, content)
      SELECT 'delete', old.number, old.content WHERE old.status <> 'streaming';
    INSERT INTO message_search (rowid, content) SELECT new.number, new.content WHERE new.status <> 'streaming';
  END;

  CREATE TRIGGER conversation_search_insert AFTER INSERT ON conversation BEGIN
    INSERT INTO conversation_search (rowid, title) VALUES (new.number, new.title);
  END;
  CREATE TRIGGER conversation_search_delete AFTER DELETE ON conversation BEGIN
    INSERT INTO conversation_search (conversation_search, rowid, title) VALUES ('delete', old.number, old.title);
  END;
  CREATE TRIGGER conversation_search_update AFTER UPDATE OF title ON conversation BEGIN
    INSERT INTO conversation_search (conversation_search, rowid, title) VALUES ('delete', old.number, old.title);
    INSERT INTO conversation_search (rowid, title) VALUES (new.number, new.title);
  END;

  INSERT INTO message_search (message_search) VALUES ('rebuild');
  INSERT INTO conversation_search (conversation_search) VALUES ('rebuild');
`;

export const search: Migration = {
  version: 2,
  up(database) {
    database.exec(schema);
  },
};
