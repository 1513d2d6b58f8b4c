/** What models say of answers, asked of the engine: nothing of the conversation is touched, and answers come first. */
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PredictionEvent, PromptMessage } from "../../../src-main/contract/engine-contract.ts";
import { CachedChat, cacheStateWhen, cheapRestore, longText, whenStored } from "../../helpers/cached-chat.ts";
import { collect } from "../../helpers/collect.ts";
import { engineInProcess, load, request, turn } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { quantizeFile } from "../../helpers/quantize-tiny.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../../helpers/tiny-gguf.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });

const writeFine = () => writeTinyGguf(join(temporaryFolder(), "fine.gguf"));

const store = () => ({ cacheFolder: temporaryFolder(), store: { isEnabled: true, budgetBytes: 1e9 } });

const answersIn = (messages: readonly PromptMessage[]) =>
  messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));

async function predict({ id, messages }: Pick<CachedChat, "id" | "messages">, wanted = answersIn(messages)) {
  const events = await collect(await client.predict({ conversationId: id, messages, wanted }));
  const answers = events.filter((event) => event.type === "answer");
  return { events, answers: new Map(answers.map(({ message: place, tokens }) => [place, tokens])) };
}

const leftOut = (events: readonly PredictionEvent[]) => events.filter((event) => event.type === "left-out");

const tokensOf = (messages: readonly PromptMessage[], place: number) => messages[place]?.tokens ?? [];

/** Near ties may fall the other way: chunks are rounded in another way than single tokens. */
const nearlyAll = 0.95;

const equalShare = (said: readonly number[] = [], own: readonly number[] = []) =>
  said.length === own.length ? said.filter((token, index) => token === own[index]).length / own.length : 0;

/** Three turns, the first of more than a chunk. */
async function talk(id = "one"): Promise<CachedChat> {
  const chat = new CachedChat(client, id, { maxTokens: 90 });
  for (const text of [longText(300), "and then?", "what else?"]) await chat.send(text);
  return chat;
}

test("a level finds its own greedy answers the likeliest", async () => {
  await load(client, await writeFine());
  const chat = await talk();
  const { answers, events } = await predict(chat);
  expect([...answers.keys()]).toEqual(answersIn(chat.messages));
  for (const [place, tokens] of answers)
    expect(equalShare(tokens, tokensOf(chat.messages, place))).toBeGreaterThan(nearlyAll);
  expect(events.at(-1)).toEqual({ type: "done", isInterrupted: false });
});

test("another level finds others likelier here and there", async () => {
  const fine = await writeFine();
  await load(client, fine);
  const chat = await talk();
  await load(client, (await quantizeFile(fine, "Q4_0")).path);
  const { answers } = await predict(chat);
  expect([...answers.keys()]).toEqual(answersIn(chat.messages));
  const own = answersIn(chat.messages).flatMap((place) => tokensOf(chat.messages, place));
  const share = equalShare([...answers.values()].flat(), own);
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(nearlyAll);
});

test("only the answers that are wanted are read", async () => {
  await load(client, await writeFine());
  const chat = await talk();
  const [, second = 0] = answersIn(chat.messages);
  const { answers } = await predict(chat, [second]);
  expect([...answers.keys()]).toEqual([second]);
  expect(equalShare(answers.get(second), tokensOf(chat.messages, second))).toBeGreaterThan(nearlyAll);
});

test("nothing in place or stored is another afterwards, and the next turn reuses all of it", async () => {
  await load(client, await writeFine(), store());
  const chat = await talk("kept");
  await whenStored(client, 500);
  const before = await cacheStateWhen(client);
  await predict(chat);
  const after = await cacheStateWhen(client);
  expect(after.store.tokens).toBe(before.store.tokens);
  expect(after.runs).toEqual(before.runs);
  const { report } = await chat.send("go on");
  expect(report.prefilled).toBeLessThan(20);
  expect(report.fromStore).toBe(0);
});

test("what is stored of the conversation is not computed again for it", async () => {
  await load(client, await writeFine(), store());
  const chat = await talk("stored");
  await whenStored(client, 500);
  const last = answersIn(chat.messages).at(-1) ?? 0;
  const { events, answers } = await predict(chat, [last]);
  const [first] = events;
  expect(first).toMatchObject({ type: "progress" });
  expect(first?.type === "progress" ? first.doneTokens : 0).toBeGreaterThan(400);
  expect(equalShare(answers.get(last), tokensOf(chat.messages, last))).toBeGreaterThan(nearlyAll);
});

test("answers whose ids are not known, or too long for the model, are left out and told", async () => {
  await load(client, await writeFine(), { contextTokens: 512 });
  const messages = [
    message("user", "one"),
    message("assistant", "unknown"),
    message("user", "two"),
    message("assistant", "hello", [99_999]),
    message("user", longText(2_000)),
  ];
  const { text, answerTokens } = await turn(client, request([message("user", "three")]));
  const long = [...messages, message("assistant", text, answerTokens)];
  const { events, answers } = await predict({ id: "one", messages: long });
  expect(leftOut(events)).toEqual([
    { type: "left-out", message: 1, reason: "other-tokens" },
    { type: "left-out", message: 3, reason: "other-tokens" },
    { type: "left-out", message: 5, reason: "too-long" },
  ]);
  expect(answers.size).toBe(0);
  expect(events.at(-1)).toEqual({ type: "done", isInterrupted: false });
});

test("an answer that is asked for meanwhile comes first", async () => {
  await load(client, await writeFine());
  const chat = await talk();
  const seen: string[] = [];
  let answer: Promise<unknown> | null = null;
  for await (const event of await client.predict({
    conversationId: chat.id,
    messages: chat.messages,
    wanted: answersIn(chat.messages),
  })) {
    seen.push(event.type);
    answer ??= chat.send("and now?").then(() => seen.push("answered"));
  }
  await answer;
  expect(seen.indexOf("answered")).toBeLessThan(seen.indexOf("done"));
});

test("it ends where another model is loaded, and says so", async () => {
  await load(client, await writeFine());
  const chat = await talk();
  const another = await writeFine();
  const events: PredictionEvent[] = [];
  let other: Promise<unknown> | null = null;
  for await (const event of await client.predict({
    conversationId: chat.id,
    messages: chat.messages,
    wanted: answersIn(chat.messages),
  })) {
    events.push(event);
    other ??= load(client, another);
  }
  await other;
  expect(events.at(-1)).toEqual({ type: "done", isInterrupted: true });
});

test("without a model there is nobody to ask", async () => {
  await client.unload();
  await expect(
    predict({ id: "one", messages: [message("user", "hi"), message("assistant", "x", [1])] }),
  ).rejects.toThrow(/No model is loaded/);
});
