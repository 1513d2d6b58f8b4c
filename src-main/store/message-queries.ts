/**
 * The statements that read the message tree. A parent's `number` is always smaller than its child's: the order of a path,
 * the newest leaf, and the reason why no walk can go round in circles, not even in a damaged database.
 */
const messageColumns = `
  message.id, message.conversation_id AS conversationId, message.parent_id AS parentId, message.role, message.content,
  message.status, message.created_at AS createdAt, message.model_name AS modelName,
  message.model_id AS modelId, message.model_level AS modelLevel, message.error`;

/** From the message with the given id up to the first one. */
const pathTo = (id: string) => `
  WITH RECURSIVE path (number, parent_id) AS (
    SELECT number, parent_id FROM message WHERE id = ${id}
    UNION ALL
    SELECT message.number, message.parent_id FROM path JOIN message ON message.id = path.parent_id
      AND message.number < path.number
  )`;

export const messageQueries = {
  get: `
    SELECT ${messageColumns}, turn_report.report
    FROM message LEFT JOIN turn_report ON turn_report.message_number = message.number WHERE message.id = ?`,

  siblings: `SELECT id FROM message WHERE conversation_id = @conversationId AND parent_id IS @parentId ORDER BY number`,

  /** Every family of the conversation at once: a query for each message of a long thread would be slower. */
  families: `SELECT parent_id AS parentId, id FROM message WHERE conversation_id = ? ORDER BY parent_id, number`,

  activePath: `
    ${pathTo("(SELECT active_leaf_id FROM conversation WHERE id = ?)")}
    SELECT ${messageColumns}, turn_report.report
    FROM path CROSS JOIN message ON message.number = path.number
      LEFT JOIN turn_report ON turn_report.message_number = path.number
    ORDER BY path.number`,

  prompt: `
    ${pathTo("?")}
    SELECT message.role, message.content, message.tokens
    FROM path CROSS JOIN message ON message.number = path.number ORDER BY path.number`,

  systemPrompt: `
    SELECT conversation.system_prompt FROM message JOIN conversation ON conversation.id = message.conversation_id
    WHERE message.id = ?`,

  newestLeaf: `
    WITH RECURSIVE subtree (conversation_id, id, number) AS (
      SELECT conversation_id, id, number FROM message WHERE id = ?
      UNION ALL
      SELECT message.conversation_id, message.id, message.number
      FROM subtree CROSS JOIN message ON message.conversation_id = subtree.conversation_id
        AND message.parent_id = subtree.id AND message.number > subtree.number
    )
    SELECT id FROM subtree ORDER BY number DESC LIMIT 1`,
} as const;
