import { expect, test } from "vitest";
import type { Message } from "../../../src-main/contract/conversation.ts";
import { ask, openTestApp } from "../../helpers/open-test-app.ts";

/** A conversation of three turns of 150 words each, and what another question is answered with. */
async function longConversation(overflowPolicy: "ask" | "drop-oldest" | "stop") {
  const { client } = await openTestApp();
  const { id } = await client.conversations.create({ overflowPolicy });
  for (const word of ["once", "more", "then"]) await ask(client, `${word} `.repeat(75), id);
  return { client, id };
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

test("left-out messages are counted, and the next prompt begins where this one began", async () => {
  const { client, id } = await longConversation("drop-oldest");
  await ask(client, "four ".repeat(30), id);
  expect(droppedIn(await ask(client, "/request", id))).toBe(2);
  // By itself this would be a reason to leave out one turn more.
  await ask(client, "five ".repeat(20), id);
  expect(droppedIn(await ask(client, "/request", id))).toBe(2);
});
