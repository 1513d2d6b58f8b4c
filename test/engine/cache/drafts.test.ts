/** What is computed of messages that are not sent yet: gone on from when they are, and no loss when they never are. */
import { expect, test } from "vitest";
import {
  CachedChat,
  cacheStateWhen,
  cheapRestore,
  inPlaceAfter,
  longText,
  whenStored,
} from "../../helpers/cached-chat.ts";
import { engineInProcess } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { storedChats } from "../../helpers/stored-chats.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });
const { loadStored, uninterrupted } = storedChats(client);

const first = longText(600);
const second = "and then?";

test("a draft of a conversation that is not begun is gone on from, and shares what others begin with", async () => {
  const system = longText(300, "rule");
  const question = `${longText(700, "water")} what is it?`;
  const [expected] = await uninterrupted([question], {}, { system });
  await loadStored();
  await new CachedChat(client, "other", { system }).send("hello");
  const chat = new CachedChat(client, "new", { system });
  const draft = [...chat.messages, message("user", question.slice(0, -4))];
  await client.prepare({ conversationId: "new", messages: draft });
  const { text, report } = await chat.send(question);
  expect(report.preparedTokens).toBeGreaterThan(680);
  expect(report.fromShared).toBeGreaterThan(290);
  expect(report.prefilled).toBeLessThan(30);
  expect(text).toBe(expected);
});

test("a draft of a conversation that never begins is forgotten, and nothing of it is stored", async () => {
  await loadStored();
  const chat = new CachedChat(client, "one");
  const left = await chat.send(first);
  await client.prepare({ conversationId: "new", messages: [message("user", longText(700, "water"))] });
  const back = await chat.send(second);
  expect(back.report.shortfall).toMatchObject({ kind: "none", tokens: 0 });
  expect(back.report.fromResident + back.report.fromStore).toBe(inPlaceAfter(left));
  await whenStored(client, 512);
  const { residency } = await cacheStateWhen(client);
  expect(residency.map(({ conversationId }) => conversationId)).toEqual(["one"]);
});

test("an edit that was computed while it was typed is gone on from, and given up it has cost nothing", async () => {
  const edit = `${longText(400, "water")} what is it?`;
  const [, , expectedBack] = await uninterrupted([first, second, "and?"]);
  const [expectedEdit] = await uninterrupted([edit]);
  await loadStored();
  const chat = new CachedChat(client, "one");
  await chat.send(first);
  const left = await chat.send(second);
  const draft = [...chat.messages.slice(0, 1), message("user", edit.slice(0, -4))];
  await client.prepare({ conversationId: "one", messages: draft });
  const back = await chat.send("and?");
  expect(back.report.fromResident + back.report.fromStore).toBe(inPlaceAfter(left));
  expect(back.report.preparedTokens).toBe(0);
  expect(back.text).toBe(expectedBack);
  await client.prepare({ conversationId: "one", messages: draft });
  chat.edit(1, edit);
  const edited = await chat.answer();
  expect(edited.report.preparedTokens).toBeGreaterThan(380);
  expect(edited.report.prefilled).toBeLessThan(30);
  expect(edited.text).toBe(expectedEdit);
});
