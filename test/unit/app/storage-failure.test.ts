import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import { ask, begin, isFinished, openTestApp, until } from "../../helpers/open-test-app.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";

/** Makes every write to an answer fail, as a full disk does, until `freeSpace` is called. */
function fillDisk(dataFolder: string): { freeSpace: () => void } {
  const database = new Database(join(dataFolder, "reprise.db"));
  database.exec("CREATE TRIGGER full_disk BEFORE UPDATE ON message BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  return {
    freeSpace: () => {
      database.exec("DROP TRIGGER full_disk");
      database.close();
    },
  };
}

/** Begins an answer, fills the disk, and waits until a save has failed. */
async function beginOnFullDisk(client: AppClient, dataFolder: string) {
  const answer = await begin(client, "/count 100000 2", 3);
  const { freeSpace } = fillDisk(dataFolder);
  await until(await client.status.watch(), ({ notices }) => notices.length > 0);
  return { ...answer, freeSpace };
}

test("an answer that cannot be begun leaves its question, for readers too", async () => {
  const { client, dataFolder } = await openTestApp();
  const { conversationId } = await ask(client, "one");
  const events = await client.chat.watch({ conversationId });
  await events.next();
  const database = new Database(join(dataFolder, "reprise.db"));
  database.exec(`CREATE TRIGGER full_disk BEFORE INSERT ON message WHEN NEW.role = 'assistant'
    BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
  database.close();
  await expect(client.chat.send({ conversationId, text: "two" })).rejects.toMatchObject({ code: "STORAGE_FAILED" });
  const event = await until(events, () => true);
  expect(event).toMatchObject({ type: "thread", generation: null, thread: { messages: [{}, {}, { content: "two" }] } });
});

test("while the disk is full the answer goes on, and the user is told", async () => {
  const { client, dataFolder } = await openTestApp();
  const { events, generationId, freeSpace } = await beginOnFullDisk(client, dataFolder);
  expect((await client.status.get()).notices).toMatchObject([{ error: { code: "STORAGE_FAILED" } }]);
  await until(events, ({ type }) => type === "delta");
  freeSpace();
  await client.chat.stop({ generationId });
  expect((await until(events, isFinished)).message).toMatchObject({ status: "stopped", error: null });
});

test("an answer that cannot be stored at its end is kept in memory, shown, and stored when that works again", async () => {
  const { client, dataFolder, close } = await openTestApp();
  const { conversationId, messageId, generationId, events, freeSpace } = await beginOnFullDisk(client, dataFolder);
  await client.chat.stop({ generationId });
  const { message } = await until(events, isFinished);
  expect(message).toMatchObject({ status: "failed", error: { code: "STORAGE_FAILED" } });
  expect(message.content).toMatch(/^1 2 3 4 /);
  const { messages, conversation } = await client.conversations.get({ conversationId });
  expect(messages.at(-1)).toEqual(message);
  expect(conversation.generating).toBe(false);

  freeSpace();
  await ask(client, "better?", conversationId);
  const saved = (await client.conversations.get({ conversationId })).messages.find(({ id }) => id === messageId);
  expect(saved).toMatchObject({ status: "stopped", error: null, content: message.content });
  await close();
  expect(openTestStore(dataFolder).messages.get(messageId).content).toBe(message.content);
});

test("what could not be stored before is stored on closing", async () => {
  const { client, dataFolder, close } = await openTestApp();
  const { messageId, generationId, events, freeSpace } = await beginOnFullDisk(client, dataFolder);
  await client.chat.stop({ generationId });
  const { message } = await until(events, isFinished);
  freeSpace();
  await close();
  expect(openTestStore(dataFolder).messages.get(messageId)).toMatchObject({
    status: "stopped",
    content: message.content,
  });
});
