import { expect, test, vi } from "vitest";
import { newId } from "../../../src-main/contract/id.ts";
import { ask, begin, isFinished, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";

test("a message is answered, and both are in the thread", async () => {
  const { client } = await openTestApp();
  const { id } = await client.conversations.create({});
  const answer = await ask(client, "hello there", id);
  expect(answer).toMatchObject({
    role: "assistant",
    content: "You said: hello there",
    status: "complete",
    modelName: "echo",
    error: null,
    report: { stopReason: "end", outputTokens: 4 },
  });
  const { conversation, messages } = await client.conversations.get({ conversationId: id });
  expect(conversation).toMatchObject({ title: "hello there", generating: false, activeLeafId: answer.id });
  expect(messages.map(({ content }) => content)).toEqual(["hello there", "You said: hello there"]);
  expect(messages.at(-1)).toEqual(answer);
});

test("a conversation that was named keeps its name", async () => {
  const { client } = await openTestApp();
  const { id } = await client.conversations.create({ title: "My own" });
  await ask(client, "hello", id);
  expect((await client.conversations.get({ conversationId: id })).conversation.title).toBe("My own");
});

test("the prompt is the system prompt and the path, with the tokens of the answers", async () => {
  const { client } = await openTestApp();
  const { id } = await client.conversations.create({ systemPrompt: "Be brief." });
  await ask(client, "one", id);
  const { content } = await ask(client, "/prompt", id);
  expect(JSON.parse(content)).toEqual([
    { role: "system", content: "Be brief.", tokens: null },
    { role: "user", content: "one", tokens: null },
    { role: "assistant", content: "You said: one", tokens: [1, 2, 3] },
    { role: "user", content: "/prompt", tokens: null },
  ]);
});

test("another answer and another question are siblings, and a branch can be chosen", async () => {
  const { client } = await openTestApp();
  const { id: conversationId } = await client.conversations.create({});
  const first = await ask(client, "one", conversationId);

  const again = await client.chat.regenerate({ messageId: first.id });
  await client.chat.stop({ generationId: again.generationId });
  const edited = await client.chat.send({ conversationId, text: "uno", parentId: null });
  await until(
    await client.chat.watch({ conversationId }),
    (event) => event.type === "finished" || event.type === "thread",
  );
  await client.chat.stop({ generationId: edited.generationId });

  const chosen = await client.conversations.selectBranch({ conversationId, messageId: first.id });
  expect(chosen.messages.map(({ content }) => content)).toEqual(["one", "You said: one"]);
  expect(chosen.messages.map(({ siblingIds }) => siblingIds)).toEqual([
    [String(first.parentId), edited.userMessageId],
    [first.id, again.messageId],
  ]);
});

test("a conversation writes one answer at a time", async () => {
  const { client } = await openTestApp();
  const { conversationId, messageId, generationId } = await begin(client, "/count 1000 5");
  const refusal = { code: "ALREADY_GENERATING", data: { conversationId } };
  await expect(client.chat.send({ conversationId, text: "and?" })).rejects.toMatchObject(refusal);
  await expect(client.chat.regenerate({ messageId })).rejects.toMatchObject(refusal);
  await client.chat.stop({ generationId });
  expect((await ask(client, "and?", conversationId)).status).toBe("complete");
});

test("two conversations wait for the engine together, and both are answered", async () => {
  const { client } = await openTestApp();
  const [one, other] = await Promise.all([ask(client, "/count 20 1"), ask(client, "/count 20 1")]);
  expect([one.status, other.status]).toEqual(["complete", "complete"]);
  expect(one.content).toBe(other.content);
});

test("a conversation with another model waits for the first one's answer", async () => {
  const { client, modelsFolder } = await openTestApp();
  writeModel(modelsFolder, "other.gguf");
  const other = (await client.models.list()).find(({ name }) => name === "other");
  const first = await begin(client, "/count 40 2");
  const { id } = await client.conversations.create({ modelId: String(other?.id) });
  const answer = await ask(client, "hello", id);
  expect(answer).toMatchObject({ status: "complete", modelName: "other" });
  const { messages } = await client.conversations.get({ conversationId: first.conversationId });
  expect(messages.at(-1)).toMatchObject({ status: "complete", modelName: "echo" });
});

test("stopping keeps the text with its report", async () => {
  const { client } = await openTestApp();
  const { conversationId, generationId, messageId } = await begin(client, "/count 100000 1", 5);
  await client.chat.stop({ generationId });
  const { messages, conversation } = await client.conversations.get({ conversationId });
  expect(messages.at(-1)).toMatchObject({
    id: messageId,
    status: "stopped",
    content: expect.stringMatching(/^1 2 3 4 5 /) as string,
    report: { stopReason: "stopped" },
  });
  expect(conversation.generating).toBe(false);
});

test("stopping twice, and what is over, is no error", async () => {
  const { client } = await openTestApp();
  const { generationId } = await begin(client, "/count 100000 1");
  await Promise.all([client.chat.stop({ generationId }), client.chat.stop({ generationId })]);
  await client.chat.stop({ generationId });
});

test("stopped before the first word, the question is asked together with the next one", async () => {
  const { client } = await openTestApp();
  const { id: conversationId } = await client.conversations.create({});
  const { generationId } = await client.chat.send({ conversationId, text: "/hold" });
  await client.chat.stop({ generationId });
  const answer = await ask(client, "/prompt", conversationId);
  expect(answer.content).toBe("You said: /hold\n\n/prompt");
  const { messages } = await client.conversations.get({ conversationId });
  expect(messages.map(({ status, content }) => [status, content])).toEqual([
    ["complete", "/hold"],
    ["stopped", ""],
    ["complete", "/prompt"],
    ["complete", "You said: /hold\n\n/prompt"],
  ]);
});

test("stopped while it waits in the engine's queue, it ends at once", async () => {
  const { client } = await openTestApp();
  const first = await begin(client, "/count 100000 1");
  const { id: conversationId } = await client.conversations.create({});
  const waiting = await client.chat.send({ conversationId, text: "hello" });
  await client.chat.stop({ generationId: waiting.generationId });
  const { messages } = await client.conversations.get({ conversationId });
  expect(messages.at(-1)).toMatchObject({ status: "stopped", content: "" });
  await client.chat.stop({ generationId: first.generationId });
});

test("an error of the engine is the answer's, with its sentence", async () => {
  const { client } = await openTestApp();
  expect(await ask(client, "/fail")).toMatchObject({
    status: "failed",
    error: { code: "ENGINE_FAILED", message: "Decoding failed.", data: { reason: "decode" } },
  });
});

test("an answer that fills the context is kept and says so", async () => {
  const { client } = await openTestApp();
  expect(await ask(client, "/full 3")).toMatchObject({
    status: "complete",
    content: "1 2 3 ",
    error: null,
    report: { stopReason: "context-full" },
  });
});

test.each([
  ["ask", "failed", { code: "CONTEXT_FULL" }],
  ["drop-oldest", "complete", null],
] as const)("a conversation that became too long, policy %s: %s", async (overflowPolicy, status, error) => {
  const { client } = await openTestApp();
  const { id } = await client.conversations.create({ overflowPolicy });
  await ask(client, "word ".repeat(400), id);
  const answer = await ask(client, "and now?", id);
  expect(answer.status).toBe(status);
  if (error === null) expect(answer.content).toBe("You said: and now?");
  else expect(answer.error).toMatchObject(error);
});

test("deleting stops the answer first", async () => {
  const { client } = await openTestApp();
  const { conversationId, events } = await begin(client, "/count 100000 1");
  await client.conversations.delete({ conversationId });
  expect((await until(events, isFinished)).message.status).toBe("stopped");
  await until(events, ({ type }) => type === "deleted");
  expect(await events.next()).toMatchObject({ done: true });
  await expect(client.conversations.get({ conversationId })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect((await ask(client, "still there?")).status).toBe("complete");
});

test("changing a conversation is seen by who watches it, and by who watches the list", async () => {
  const { client } = await openTestApp();
  const { id: conversationId } = await client.conversations.create({});
  const chat = await client.chat.watch({ conversationId });
  const list = await client.conversations.watch();
  await Promise.all([chat.next(), list.next()]);
  await client.conversations.update({ conversationId, patch: { title: "Renamed", pinned: true } });
  expect(await until(chat, () => true)).toMatchObject({ type: "conversation", conversation: { title: "Renamed" } });
  expect(await until(list, () => true)).toMatchObject({
    type: "changed",
    conversation: { title: "Renamed", pinned: true },
  });
});

test("the list shows who is being answered", async () => {
  const { client } = await openTestApp();
  const list = await client.conversations.watch();
  expect(await until(list, () => true)).toEqual({ type: "all", conversations: [] });
  const { conversationId, generationId } = await begin(client, "/count 100000 1");
  await until(list, (event) => event.type === "changed" && event.conversation.generating);
  expect(await client.conversations.list()).toMatchObject([{ id: conversationId, generating: true }]);
  await client.chat.stop({ generationId });
  await until(list, (event) => event.type === "changed" && !event.conversation.generating);
});

test.each([
  ["an unknown conversation", { conversationId: "nowhere", text: "hi" }, "NOT_FOUND"],
  ["an empty message", { conversationId: "nowhere", text: "" }, "INVALID_INPUT"],
])("%s is refused", async (_, input, code) => {
  const { client } = await openTestApp();
  await expect(client.chat.send(input)).rejects.toMatchObject({ code, defined: true });
});

test("a message cannot go on from another conversation", async () => {
  const { client } = await openTestApp();
  const elsewhere = await ask(client, "hello");
  const { id: conversationId } = await client.conversations.create({});
  await expect(client.chat.send({ conversationId, text: "hi", parentId: elsewhere.id })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  expect((await client.conversations.get({ conversationId })).messages).toEqual([]);
});

test("input that fails the schema says which field and why", async () => {
  const { client } = await openTestApp();
  const patch = { title: "" };
  await expect(client.conversations.create(patch)).rejects.toMatchObject({
    code: "INVALID_INPUT",
    data: { reason: expect.stringMatching(/^title: /) as string },
  });
});

test("an engine that does not hear a stop is not waited for", async () => {
  const { client } = await openTestApp();
  const { conversationId, generationId } = await begin(client, "/deaf 3", 3);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stopping = client.chat.stop({ generationId });
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  await stopping;
  const { messages } = await client.conversations.get({ conversationId });
  expect(messages.at(-1)).toMatchObject({ status: "stopped", content: "1 2 3 " });
});

test("a conversation can be given its id, once", async () => {
  const { client } = await openTestApp();
  const id = newId();
  expect(await client.conversations.create({ id, title: "Mine" })).toMatchObject({ id, title: "Mine" });
  await expect(client.conversations.create({ id })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  await expect(client.conversations.create({ id: "../else" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(await client.conversations.list()).toMatchObject([{ id, title: "Mine" }]);
});

test("the status follows a context that has grown for an answer", async () => {
  const { client } = await openTestApp();
  const contextTokens = async () => {
    const { engine } = await client.status.get();
    return engine.state === "ready" ? engine.model.contextTokens : null;
  };
  await ask(client, "hello");
  expect(await contextTokens()).toBe(512);
  await ask(client, "/grow");
  expect(await contextTokens()).toBe(1_024);
});
