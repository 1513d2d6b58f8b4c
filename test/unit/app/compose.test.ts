import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { begin, modelSource, openTestApp } from "../../helpers/open-test-app.ts";
import { isAlive } from "../../helpers/launch-echo-engine.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

test("a second app on the same data folder is refused, and the first goes on", async () => {
  const { client, dataFolder } = await openTestApp();
  await expect(openTestApp({ dataFolder })).rejects.toMatchObject({ code: "ALREADY_RUNNING", data: { dataFolder } });
  expect(await client.conversations.list()).toEqual([]);
});

test("opening and closing starts no engine", async () => {
  const { close, client, launched } = await openTestApp();
  await client.conversations.list();
  await close();
  expect(launched).toHaveLength(0);
});

test("closing stops answers with their text kept, leaves no process, and frees the folder", async () => {
  const { client, close, dataFolder, launched } = await openTestApp();
  const [one, other] = [await begin(client, "/count 100000 1", 5), await client.conversations.create({})];
  const waiting = await client.chat.send({ conversationId: other.id, text: "hello" });
  await close();
  expect(launched.map(({ pid }) => isAlive(Number(pid)))).toEqual([false]);
  const { messages } = openTestStore(dataFolder);
  expect(messages.get(one.messageId)).toMatchObject({
    status: "stopped",
    content: expect.stringMatching(/^1 2 3 4 5 /) as string,
    report: { stopReason: "stopped" },
  });
  expect(messages.get(waiting.messageId)).toMatchObject({ status: "stopped", content: "" });
  await openTestApp({ dataFolder });
});

test("closing does not wait for an engine that hangs", async () => {
  const { client, close, dataFolder, launched } = await openTestApp();
  const { messageId } = await begin(client, "/hang 3", 3);
  await close();
  expect(launched.map(({ pid }) => isAlive(Number(pid)))).toEqual([false]);
  expect(openTestStore(dataFolder).messages.get(messageId)).toMatchObject({ status: "stopped", content: "1 2 3 " });
});

test("closing twice is closing once, and after it nothing is taken any more", async () => {
  const { client, close } = await openTestApp();
  const { id: conversationId } = await client.conversations.create({});
  await Promise.all([close(), close()]);
  await expect(client.chat.send({ conversationId, text: "hello" })).rejects.toMatchObject({ code: "ENGINE_STOPPED" });
});

test("a damaged database is set aside, and the user is told", async () => {
  const dataFolder = temporaryFolder();
  writeFileSync(join(dataFolder, "reprise.db"), "this is no database at all");
  const { client } = await openTestApp({ dataFolder });
  expect((await client.status.get()).notices).toMatchObject([{ error: { code: "STORAGE_FAILED" } }]);
  expect(await client.conversations.list()).toEqual([]);
});

test("a data folder that cannot be one is refused with a sentence", async () => {
  const dataFolder = join(temporaryFolder(), "data");
  writeFileSync(dataFolder, "");
  const opening = openTestApp({ dataFolder, defaultModelSource: modelSource(dataFolder) });
  await expect(opening).rejects.toMatchObject({ code: "FOLDER_UNWRITABLE", data: { path: dataFolder } });
});
