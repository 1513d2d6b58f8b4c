import type { Database } from "better-sqlite3";
import type { Message } from "../contract/conversation.ts";
import type { PromptMessage } from "../contract/engine-contract.ts";
import { messageQueries } from "./message-queries.ts";
import { toMessage, type MessageRow } from "./message-row.ts";
import { notFound } from "./not-found.ts";
import { decodeTokens } from "./token-blob.ts";

type Family = Pick<MessageRow, "conversationId" | "parentId">;

interface PromptRow {
  readonly role: PromptMessage["role"];
  readonly content: string;
  readonly tokens: Buffer | null;
}

function childrenByParent(rows: readonly Pick<MessageRow, "parentId" | "id">[]): Map<string | null, string[]> {
  const families = Map.groupBy(rows, (row) => row.parentId);
  return new Map([...families].map(([parentId, children]) => [parentId, children.map((child) => child.id)]));
}

function toPromptMessage(row: PromptRow): PromptMessage {
  return { ...row, tokens: row.tokens === null ? null : decodeTokens(row.tokens) };
}

export function createMessageReader(database: Database) {
  const getOne = database.prepare<[string], MessageRow>(messageQueries.get);
  const siblings = database.prepare<Family, string>(messageQueries.siblings).pluck();
  const families = database.prepare<[string], Pick<MessageRow, "parentId" | "id">>(messageQueries.families);
  const path = database.prepare<[string], MessageRow>(messageQueries.activePath);
  const conversationExists = database.prepare<[string]>("SELECT 1 FROM conversation WHERE id = ?");
  const promptPath = database.prepare<[string], PromptRow>(messageQueries.prompt);
  const systemPromptOf = database.prepare<[string], string>(messageQueries.systemPrompt).pluck();
  const leaf = database.prepare<[string], string>(messageQueries.newestLeaf).pluck();

  return {
    get: (messageId: string): Message => {
      const row = getOne.get(messageId);
      if (row === undefined) throw notFound("message", messageId);
      return toMessage(row, siblings.all(row));
    },

    /** From the first message to the active leaf; empty where nothing is chosen. */
    activePath: (conversationId: string): Message[] => {
      const rows = path.all(conversationId);
      if (rows.length === 0 && conversationExists.get(conversationId) === undefined) {
        throw notFound("conversation", conversationId);
      }
      const children = childrenByParent(families.all(conversationId));
      return rows.map((row) => toMessage(row, children.get(row.parentId) ?? [row.id]));
    },

    /** The system prompt if there is one, then the path to `messageId`, with the token ids of the answers. */
    prompt: (messageId: string): PromptMessage[] => {
      const systemPrompt = systemPromptOf.get(messageId);
      if (systemPrompt === undefined) throw notFound("message", messageId);
      const messages = promptPath.all(messageId).map(toPromptMessage);
      return systemPrompt === "" ? messages : [{ role: "system", content: systemPrompt, tokens: null }, ...messages];
    },

    /** The leaf that was written last below `messageId`; the message itself where nothing follows it. */
    newestLeaf: (messageId: string): string => {
      const leafId = leaf.get(messageId);
      if (leafId === undefined) throw notFound("message", messageId);
      return leafId;
    },
  };
}
