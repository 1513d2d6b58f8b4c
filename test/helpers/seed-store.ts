/** Fills a data folder with conversations, many times faster than writing them one by one through the store. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { defaultSampling } from "../../src-main/contract/conversation.ts";
import { newId } from "../../src-main/contract/id.ts";
import { openStore } from "../../src-main/store/open-store.ts";
import { encodeTokens } from "../../src-main/store/token-blob.ts";
import { sampleReport } from "./sample-report.ts";
import { sampleText } from "./sample-text.ts";

const startedAt = Date.UTC(2026, 0, 1);
const report = JSON.stringify(sampleReport());
const sampling = JSON.stringify(defaultSampling);

const insertConversationSql = `
  INSERT INTO conversation (id, title, model_id, created_at, updated_at, pinned, archived, folder, overflow_policy,
    active_leaf_id, sampling, system_prompt)
  VALUES (@id, @title, NULL, @time, @time, 0, 0, NULL, 'ask', @leafId, '${sampling}', '')`;

const insertMessageSql = `
  INSERT INTO message (id, conversation_id, parent_id, role, status, created_at, model_name, content, tokens)
  VALUES (@id, @conversationId, @parentId, @role, 'complete', @time, @modelName, @content, @tokens)`;

function createSeeder(database: Database.Database) {
  const insertConversation = database.prepare(insertConversationSql);
  const insertMessage = database.prepare(insertMessageSql);
  const insertReport = database.prepare("INSERT INTO turn_report (message_number, report) VALUES (?, ?)");

  const addAnswerOrQuestion = (conversationId: string, ids: readonly string[], index: number, time: number): void => {
    const isAnswer = index % 2 === 1;
    const content = sampleText(time + index, isAnswer ? 90 : 15);
    const { lastInsertRowid } = insertMessage.run({
      id: ids[index],
      conversationId,
      parentId: ids[index - 1] ?? null,
      role: isAnswer ? "assistant" : "user",
      time: time + index,
      modelName: isAnswer ? "SmolLM2-135M-Instruct.Q4_1.gguf" : null,
      content,
      tokens: isAnswer ? encodeTokens(Array.from(content.split(" "), (word) => word.length)) : null,
    });
    if (isAnswer) insertReport.run(lastInsertRowid, report);
  };

  return (messages: number, number: number): string => {
    const id = newId();
    const time = startedAt + number * 60_000;
    const ids = Array.from({ length: messages }, () => newId());
    insertConversation.run({ id, title: sampleText(number, 5), time, leafId: ids.at(-1) ?? null });
    ids.forEach((_, index) => {
      addAnswerOrQuestion(id, ids, index, time);
    });
    return id;
  };
}

/**
 * Adds one conversation for each entry of `sizes`, with that many messages: a straight thread of questions and answers
 * with reports and token ids. The last one is the most recently used. Returns the conversations' ids in that order.
 */
export function seedStore(folder: string, sizes: readonly number[]): string[] {
  openStore({ folder }).store.close();
  const database = new Database(join(folder, "reprise.db"));
  try {
    database.pragma("synchronous = OFF");
    const addConversation = createSeeder(database);
    return database.transaction(() => sizes.map(addConversation))();
  } finally {
    database.close();
  }
}
