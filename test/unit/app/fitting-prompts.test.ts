import { describe, expect, test } from "vitest";
import type { Message } from "../../../src-main/contract/conversation.ts";
import { ask, openTestApp } from "../../helpers/open-test-app.ts";

/** A conversation of three turns of 150 words each, and what another question is answered with. */
async function longConversation(overflowPolicy: "ask" | "drop-oldest" | "stop") {
  const { client, close, dataFolder } = await openTestApp();
  const { id } = await client.conversations.create({ overflowPolicy });
  for (const word of ["once", "more", "then"]) await ask(client, `${word} `.repeat(75), id);
  return { client, close, dataFolder, id };
}

const droppedIn = ({ content }: Message) => (JSON.parse(content) as { droppedMessages: number }).droppedMessages;

test("a request names its conversation, and nothing is left out of one that fits", async () => {
  const { client } = await openTestApp();
  const { id } = await client.conversations.create({});
  const { content } = await ask(client, "/request", id);
  expect(JSON.parse(content)).toMatchObject({ conversationId: id, kind: "turn", droppedMessages: 0 });
});

test.each(["ask", "stop"] as const)(
  "the policy %s refuses, keeps the message, and names the choice",
  async (policy) => {
    const { client, id } = await longConversation(policy);
    const answer = await ask(client, "four ".repeat(100), id);
    expect(answer).toMatchObject({
      status: "failed",
      error: { code: "CONTEXT_FULL", data: { contextTokens: 512, droppableMessages: 4 } },
    });
    const { messages } = await client.conversations.get({ conversationId: id });
    expect(messages.at(-2)?.content).toBe("four ".repeat(100));
  },
);

test("a message that is too long by itself leaves no choice", async () => {
  const { client } = await openTestApp();
  expect(await ask(client, "word ".repeat(600))).toMatchObject({
    error: { code: "CONTEXT_FULL", data: { droppableMessages: 0 } },
  });
});

/** The same after two turns more, of which the last was asked without the first turn. */
async function cutConversation() {
  const conversation = await longConversation("drop-oldest");
  const { client, id } = conversation;
  await ask(client, "four ".repeat(30), id);
  expect(droppedIn(await ask(client, "/request", id))).toBe(2);
  return conversation;
}

/** By itself this would be a reason to leave out one turn more. */
const reasonForMore = "five ".repeat(20);

describe("where the prompt begins", () => {
  test("is where it began before, as long as that is enough", async () => {
    const { client, id } = await cutConversation();
    await ask(client, reasonForMore, id);
    expect(droppedIn(await ask(client, "/request", id))).toBe(2);
  });

  test("is the same after a restart", async () => {
    const first = await cutConversation();
    await first.close();
    const { client } = await openTestApp({ dataFolder: first.dataFolder });
    await ask(client, reasonForMore, first.id);
    expect(droppedIn(await ask(client, "/request", first.id))).toBe(2);
  });

  test("is what an opened conversation is put in place from", async () => {
    const { id, close, dataFolder } = await cutConversation();
    await close();
    const { client } = await openTestApp({ dataFolder });
    await client.chat.warm({ conversationId: id });
    expect((await client.cache.get()).residency).toMatchObject([{ conversationId: id, state: "in-place" }]);
  });

  test("is not moved by a draft that is not sent", async () => {
    const { client, id } = await cutConversation();
    const text = "word ".repeat(200);
    await client.chat.prepare({ conversationId: id, text });
    const size = await client.chat.measure({ conversationId: id, text });
    expect(size?.shortened?.droppedMessages).toBeGreaterThan(2);
    expect(droppedIn(await ask(client, "/request", id))).toBe(2);
  });

  test("stays while a draft that needed more is typed on, and when it is sent", async () => {
    const { client, id } = await cutConversation();
    const cutOf = async (text: string) =>
      (await client.chat.measure({ conversationId: id, text }))?.shortened?.droppedMessages;
    const [short, long] = ["/request ".concat("word ".repeat(90)), "/request ".concat("word ".repeat(180))];
    const byItself = await cutOf(long);
    await client.chat.prepare({ conversationId: id, text: short });
    const prepared = await cutOf(short);
    expect(prepared).toBeGreaterThan(2);
    expect(prepared).toBeLessThan(byItself ?? 0);
    expect(await cutOf(long)).toBe(prepared);
    expect(droppedIn(await ask(client, long, id))).toBe(prepared);
  });
});

describe("what would be sent in place of a prompt that does not fit", () => {
  test("is counted, with what of it has to be computed", async () => {
    const { client, id } = await longConversation("drop-oldest");
    const text = "four ".repeat(60);
    const size = await client.chat.measure({ conversationId: id, text });
    expect(size).toMatchObject({ isFitting: false, contextTokens: 512 });
    expect(size?.shortened).toMatchObject({ isFitting: true, isSameCut: false });
    await ask(client, text, id);
    const next = await client.chat.measure({ conversationId: id, text: "five" });
    expect(next?.shortened).toMatchObject({ droppedMessages: size?.shortened?.droppedMessages, isSameCut: true });
    // The last answer has left the shortened prompt and itself in place.
    expect(next?.shortened?.computeMs).toBeLessThan(5);
  });

  test.each(["ask", "stop"] as const)("is nothing where the policy is %s", async (policy) => {
    const { client, id } = await longConversation(policy);
    const size = await client.chat.measure({ conversationId: id, text: "four ".repeat(100) });
    expect(size).toMatchObject({ isFitting: false, shortened: null });
  });

  test("is nothing where the message is too long by itself", async () => {
    const { client, id } = await longConversation("drop-oldest");
    const size = await client.chat.measure({ conversationId: id, text: "word ".repeat(600) });
    expect(size).toMatchObject({ isFitting: false, shortened: null });
  });

  test("is nothing where it fits", async () => {
    const { client, id } = await longConversation("drop-oldest");
    const size = await client.chat.measure({ conversationId: id, text: "four" });
    expect(size).toMatchObject({ isFitting: true, shortened: null });
  });
});
