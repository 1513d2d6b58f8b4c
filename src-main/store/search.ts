import type { Database } from "better-sqlite3";
import type { SearchHit } from "../contract/conversation.ts";

const maximumHits = 50;

const titlesSql = `
  SELECT conversation.id AS conversationId, NULL AS messageId, conversation.title AS snippet
  FROM conversation_search JOIN conversation ON conversation.number = conversation_search.rowid
  WHERE conversation_search MATCH ? ORDER BY rank LIMIT ${maximumHits}`;

/** The best message of each conversation; a common word may have many in one. */
const messagesSql = `
  WITH ranked AS MATERIALIZED (
    SELECT message.conversation_id AS conversationId, message.id AS messageId, rank AS score,
      message_search.rowid AS number, snippet(message_search, 0, '', '', '…', 16) AS snippet
    FROM message_search JOIN message ON message.number = message_search.rowid
    WHERE message_search MATCH ? ORDER BY rank LIMIT 500
  )
  SELECT conversationId, messageId, snippet, min(score) FROM ranked GROUP BY conversationId ORDER BY min(score)
  LIMIT ${maximumHits}`;

/**
 * Every word as a quoted prefix, so that a search finds something from the first letters on and no character of it is
 * taken for query syntax. `null` for a text without words.
 */
function matchExpression(text: string): string | null {
  const words = text.match(/[\p{L}\p{N}\p{M}]+/gu);
  return words === null ? null : words.map((word) => `"${word}"*`).join(" ");
}

export function createSearch(database: Database): (text: string) => SearchHit[] {
  const titles = database.prepare<[string], SearchHit>(titlesSql);
  const messages = database.prepare<[string], SearchHit & { score: number }>(messagesSql);
  return (text) => {
    const expression = matchExpression(text);
    if (expression === null) return [];
    const byTitle = titles.all(expression);
    const named = new Set(byTitle.map((hit) => hit.conversationId));
    const byMessage = messages.all(expression).filter((hit) => !named.has(hit.conversationId));
    const hits = byMessage.map(({ conversationId, messageId, snippet }) => ({ conversationId, messageId, snippet }));
    return [...byTitle, ...hits].slice(0, maximumHits);
  };
}
