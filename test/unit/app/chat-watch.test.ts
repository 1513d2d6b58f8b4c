import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/message-port";
import { RPCHandler } from "@orpc/server/message-port";
import { expect, test, vi } from "vitest";
import { ChatWatch, type ChatChange } from "../../../src-main/app/chat-watch.ts";
import type { AppClient, ChatEvent } from "../../../src-main/contract/app-contract.ts";
import type { Thread } from "../../../src-main/contract/conversation.ts";
import { ask, begin, isFinished, openTestApp, until } from "../../helpers/open-test-app.ts";
import { sampleConversation, sampleMessage } from "../../helpers/sample-thread.ts";

/** Reads to the end of the answer. Returns everything that was read. */
async function readToEnd(events: AsyncIterator<ChatEvent>): Promise<ChatEvent[]> {
  const read: ChatEvent[] = [];
  await until(events, (event) => {
    read.push(event);
    return event.type === "finished";
  });
  return read;
}

/** The answer's text as a reader puts it together, and as the last event says it. */
function texts(read: readonly ChatEvent[]) {
  let text = "";
  for (const event of read) {
    if (event.type === "thread") text = event.thread.messages.at(-1)?.content ?? "";
    if (event.type === "delta") text += event.text;
  }
  const last = read.at(-1);
  return { text, final: last?.type === "finished" ? last.message.content : null };
}

test("the thread so far and what follows are the whole answer, for whoever comes when", async () => {
  const { client } = await openTestApp();
  const { conversationId, events: early } = await begin(client, "/count 300 1", 20);
  const late = await client.chat.watch({ conversationId });
  const first = await until(late, () => true);
  const soFar = first.type === "thread" ? first.thread.messages.at(-1)?.content : null;
  expect(soFar).toMatch(/^1 2 3 /);
  const [, reading] = await Promise.all([readToEnd(early), readToEnd(late)]);
  const { text, final } = texts([first, ...reading]);
  expect(text).toBe(final);
  expect(final?.trim().split(" ")).toHaveLength(300);
});

test("events are numbered one by one, from the thread on", async () => {
  const { client } = await openTestApp();
  const { id: conversationId } = await client.conversations.create({});
  const events = await client.chat.watch({ conversationId });
  const empty = await until(events, () => true);
  expect(empty).toMatchObject({ type: "thread", seq: 0, generation: null, thread: { messages: [] } });
  const sent = await client.chat.send({ conversationId, text: "/count 30 1" });
  const read = [empty, ...(await readToEnd(events))];
  expect(read.map(({ seq }) => seq)).toEqual(read.map((_, index) => index));
  expect(read[1]).toMatchObject({
    type: "path",
    afterMessageId: null,
    messages: [{ content: "/count 30 1" }, { id: sent.messageId, status: "streaming", content: "" }],
    generation: { generationId: sent.generationId, messageId: sent.messageId },
  });
  const phases = read.flatMap((event) => (event.type === "phase" ? [event.generation.phase.name] : []));
  expect(new Set(phases)).toEqual(new Set(["prefill"]));
  expect(read.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])).toEqual([
    "thread",
    "path",
    "phase",
    "delta",
    "finished",
  ]);
});

/** Watches from now on, and tells which events changed the path until the next answer is finished. */
async function watchPaths(client: AppClient, conversationId: string) {
  const events = await client.chat.watch({ conversationId });
  await events.next();
  return async () => {
    const read = await readToEnd(events);
    const paths = read.filter(({ type }) => type === "thread" || type === "path");
    return paths.map((event) =>
      event.type === "path"
        ? { after: event.afterMessageId, new: event.messages.map(({ content }) => content) }
        : event,
    );
  };
}

test("a message, another answer and a changed message cost their readers what is new", async () => {
  const { client } = await openTestApp();
  const { conversationId, parentId, id } = await ask(client, "one");
  const pathsOfAnswer = await watchPaths(client, conversationId);

  const sent = await client.chat.send({ conversationId, text: "two" });
  expect(await pathsOfAnswer()).toEqual([{ after: id, new: ["two", ""] }]);
  await client.chat.regenerate({ messageId: sent.messageId });
  expect(await pathsOfAnswer()).toEqual([{ after: sent.userMessageId, new: [""] }]);
  await client.chat.regenerate({ messageId: id });
  expect(await pathsOfAnswer()).toEqual([{ after: parentId, new: [""] }]);
  await client.chat.send({ conversationId, text: "uno", parentId: null });
  expect(await pathsOfAnswer()).toEqual([{ after: null, new: ["uno", ""] }]);
});

test("a reader that goes away leaves the answer alone", async () => {
  const { client } = await openTestApp();
  const { conversationId, messageId, events } = await begin(client, "/count 200 1", 3);
  await events.return();
  const { message } = await until(await client.chat.watch({ conversationId }), isFinished);
  expect(message).toMatchObject({ id: messageId, status: "complete" });
});

test("over a connection that drops, the answer goes on and the reader is forgotten", async () => {
  const { client, router } = await openTestApp();
  const { id: conversationId } = await client.conversations.create({});
  const { port1, port2 } = new MessageChannel();
  new RPCHandler(router).upgrade(port1, { context: {} });
  port1.start();
  port2.start();
  const remote: AppClient = createORPCClient(new RPCLink({ port: port2 }));
  const events = await remote.chat.watch({ conversationId });
  await events.next();
  const { messageId } = await remote.chat.send({ conversationId, text: "/count 200 1" });
  await until(events, ({ type }) => type === "delta");
  port2.close();
  const { message } = await until(await client.chat.watch({ conversationId }), isFinished);
  expect(message).toMatchObject({ id: messageId, status: "complete" });
});

test("after a connection typed errors still have their code", async () => {
  const { router } = await openTestApp();
  const { port1, port2 } = new MessageChannel();
  new RPCHandler(router).upgrade(port1, { context: {} });
  port1.start();
  port2.start();
  const remote: AppClient = createORPCClient(new RPCLink({ port: port2 }));
  const refused = remote.chat.watch({ conversationId: "nowhere" });
  await expect(refused).rejects.toMatchObject({ code: "NOT_FOUND", defined: true, data: { id: "nowhere" } });
  port2.close();
});

const thread: Thread = { conversation: sampleConversation(), messages: [] };

test("text comes at most once a frame, however often the engine speaks", async () => {
  vi.useFakeTimers();
  const watch = new ChatWatch({
    assertExists: () => undefined,
    thread: () => thread,
    generation: () => null,
    switching: () => null,
  });
  const events = watch.watch("c");
  await events.next();
  const read: ChatEvent[] = [];
  void (async () => {
    for await (const event of events) read.push(event);
  })();
  for (let elapsedMs = 0; elapsedMs < 160; elapsedMs += 2) {
    watch.publish("c", { type: "delta", generationId: "g", messageId: "m", text: "x" });
    await vi.advanceTimersByTimeAsync(2);
  }
  vi.useRealTimers();
  expect(read.length).toBeLessThanOrEqual(11);
  expect(read.flatMap((event) => (event.type === "delta" ? [event.text] : [])).join("").length).toBeGreaterThan(60);
});

const longMessage = sampleMessage({ content: "word ".repeat(20_000) });
const path: ChatChange = {
  type: "path",
  conversation: thread.conversation,
  afterMessageId: null,
  messages: [longMessage],
  generation: { generationId: "g", messageId: "m", phase: { name: "queued" } },
};

test("a long message is not a backlog, many of them are", async () => {
  const watch = new ChatWatch({
    assertExists: () => undefined,
    thread: () => thread,
    generation: () => null,
    switching: () => null,
  });
  const events = watch.watch("c");
  await events.next();
  watch.publish("c", path);
  watch.publish("c", { type: "phase", generation: path.generation });
  watch.publish("c", { type: "delta", generationId: "g", messageId: "m", text: "some words " });
  const read = [await events.next(), await events.next(), await events.next()];
  expect(read.map(({ value }) => value?.type)).toEqual(["path", "phase", "delta"]);
  for (let index = 0; index < 3; index += 1) watch.publish("c", path);
  expect(await until(events, () => true)).toMatchObject({ type: "thread", seq: 4 });
});

test("a reader that never reads costs no memory, and finds the thread when it comes back", async () => {
  let snapshots = 0;
  const count = () => {
    snapshots += 1;
    return thread;
  };
  const watch = new ChatWatch({
    assertExists: () => undefined,
    thread: count,
    generation: () => null,
    switching: () => null,
  });
  const events = watch.watch("c");
  await events.next();
  for (let index = 0; index < 10_000; index += 1) {
    watch.publish("c", { type: "delta", generationId: "g", messageId: "m", text: "some words " });
  }
  expect(await until(events, () => true)).toMatchObject({ type: "thread", seq: 1 });
  expect(snapshots).toBe(2);
});

test("when the app closes, readers get the stopped answer and then the end", async () => {
  const { client, close } = await openTestApp();
  const { events } = await begin(client, "/count 100000 1", 3);
  await close();
  const { message } = await until(events, isFinished);
  expect(message.status).toBe("stopped");
  expect((await until(events, () => true)).type).toBe("conversation");
  expect(await events.next()).toMatchObject({ done: true });
});

test("a new reader of a finished conversation gets its thread and no generation", async () => {
  const { client } = await openTestApp();
  const { conversationId } = await ask(client, "hello");
  const first = await until(await client.chat.watch({ conversationId }), () => true);
  expect(first).toMatchObject({ type: "thread", generation: null, thread: { messages: [{}, { status: "complete" }] } });
});
