import type { Database } from "better-sqlite3";
import type { ConversationPatch, NewConversation } from "../contract/conversation.ts";
import {
  newConversation,
  toConversation,
  toRow,
  toSummary,
  type ConversationRow,
  type StoredConversation,
  type StoredSummary,
  type SummaryRow,
} from "./conversation-row.ts";
import { definedOnly } from "./defined-only.ts";
import { notFound } from "./not-found.ts";
import { createSearch } from "./search.ts";

const summaryColumns = `id, title, model_id AS modelId, created_at AS createdAt, updated_at AS updatedAt, pinned, archived`;

export const conversationQueries = {
  list: `SELECT ${summaryColumns} FROM conversation ORDER BY updated_at DESC, number DESC`,
  get: `
    SELECT ${summaryColumns}, folder, overflow_policy AS overflowPolicy, active_leaf_id AS activeLeafId, sampling,
      system_prompt AS systemPrompt
    FROM conversation WHERE id = ?`,
  leftOut: "SELECT left_out_messages FROM conversation WHERE id = ?",
} as const;

const insertSql = `
  INSERT INTO conversation (id, title, model_id, created_at, updated_at, pinned, archived, folder, overflow_policy,
    active_leaf_id, sampling, system_prompt)
  VALUES (@id, @title, @modelId, @createdAt, @updatedAt, @pinned, @archived, @folder, @overflowPolicy,
    @activeLeafId, @sampling, @systemPrompt)`;

const updateSql = `
  UPDATE conversation SET title = @title, model_id = @modelId, pinned = @pinned, archived = @archived, folder = @folder,
    overflow_policy = @overflowPolicy, sampling = @sampling, system_prompt = @systemPrompt
  WHERE id = @id`;

export function createConversationStore(database: Database, now: () => number) {
  const listAll = database.prepare<[], SummaryRow>(conversationQueries.list);
  const getOne = database.prepare<[string], ConversationRow>(conversationQueries.get);
  const insert = database.prepare<ConversationRow>(insertSql);
  const updateOne = database.prepare<ConversationRow>(updateSql);
  const deleteOne = database.prepare<[string]>("DELETE FROM conversation WHERE id = ?");
  const leftOut = database.prepare<[string], number>(conversationQueries.leftOut).pluck();
  const setLeftOut = database.prepare<[number, string]>("UPDATE conversation SET left_out_messages = ? WHERE id = ?");
  const setLeaf = database.prepare<{ conversationId: string; messageId: string | null }>(`
    UPDATE conversation SET active_leaf_id = @messageId WHERE id = @conversationId AND (@messageId IS NULL
      OR EXISTS (SELECT 1 FROM message WHERE conversation_id = @conversationId AND id = @messageId))`);

  const find = (conversationId: string): StoredConversation | null => {
    const row = getOne.get(conversationId);
    return row === undefined ? null : toConversation(row);
  };

  const get = (conversationId: string): StoredConversation => {
    const conversation = find(conversationId);
    if (conversation === null) throw notFound("conversation", conversationId);
    return conversation;
  };

  return {
    /** Most recently used first; used means written in, so renaming does not move a conversation. */
    list: (): StoredSummary[] => listAll.all().map(toSummary),
    get,
    find,
    create: (values: NewConversation): StoredConversation => {
      const conversation = newConversation(values, now());
      insert.run(toRow(conversation));
      return conversation;
    },
    update: (conversationId: string, patch: ConversationPatch): StoredConversation => {
      const conversation = { ...get(conversationId), ...definedOnly(patch) };
      updateOne.run(toRow(conversation));
      return conversation;
    },
    delete: (conversationId: string): void => {
      if (deleteOne.run(conversationId).changes === 0) throw notFound("conversation", conversationId);
    },
    setActiveLeaf: (conversationId: string, messageId: string | null): void => {
      if (setLeaf.run({ conversationId, messageId }).changes > 0) return;
      get(conversationId);
      throw notFound("message", String(messageId));
    },
    /** How many of its oldest messages its last prompt was without; 0 also where it is not there. */
    leftOut: (conversationId: string): number => leftOut.get(conversationId) ?? 0,
    setLeftOut: (conversationId: string, messages: number): void => {
      if (setLeftOut.run(messages, conversationId).changes === 0) throw notFound("conversation", conversationId);
    },
    search: createSearch(database),
  };
}
