import { describe, expect, test } from "vitest";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import type { CacheState, Residency } from "../../../src-main/contract/cache.ts";
import { newId } from "../../../src-main/contract/id.ts";
import { ask, begin, isFinished, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";

async function residencyOf(client: AppClient, conversationId: string): Promise<Residency["state"] | "cold"> {
  const { residency } = await client.cache.get();
  return residency.find((place) => place.conversationId === conversationId)?.state ?? "cold";
}

/** Resolves when the engine computes a draft of the conversation. */
async function draftBegun(client: AppClient, conversationId: string): Promise<void> {
  const states = await client.cache.watch();
  await until(states, ({ runs }) => runs.some(({ holders }) => holders[0]?.conversationId === conversationId));
  await states.return();
}

async function otherModel(client: AppClient, modelsFolder: string): Promise<string> {
  writeModel(modelsFolder, "other.gguf");
  return String((await client.models.list()).find(({ name }) => name === "other")?.id);
}

describe("opening a conversation", () => {
  test("puts it in place from the store, with its model loaded, in an app that has just begun", async () => {
    const first = await openTestApp();
    const { conversationId } = await ask(first.client, "hello there");
    await first.close();
    const { client, launched } = await openTestApp({ dataFolder: first.dataFolder });
    expect(await residencyOf(client, conversationId)).toBe("stored");
    expect(await client.chat.warm({ conversationId })).toEqual({ isInterrupted: false });
    expect(await residencyOf(client, conversationId)).toBe("in-place");
    expect((await client.status.get()).engine.state).toBe("ready");
    expect(launched).toHaveLength(1);
  });

  test("loads the model also where nothing was said yet", async () => {
    const { client } = await openTestApp();
    const { id: conversationId } = await client.conversations.create({});
    await client.chat.warm({ conversationId });
    expect((await client.status.get()).engine.state).toBe("ready");
  });

  test("interrupts no answer of another model: it is over at once, and nothing is loaded", async () => {
    const { client, modelsFolder } = await openTestApp();
    const { id: conversationId } = await client.conversations.create({
      modelId: await otherModel(client, modelsFolder),
    });
    const { events, generationId } = await begin(client, "/count 100000 1");
    expect(await client.chat.warm({ conversationId })).toEqual({ isInterrupted: true });
    expect((await client.status.get()).engine).toMatchObject({ state: "ready", model: { summary: { name: "echo" } } });
    await client.chat.stop({ generationId });
    expect((await until(events, isFinished)).message.status).toBe("stopped");
  });

  test("gives way to an answer that needs another model, also while it loads its own", async () => {
    const { client, modelsFolder } = await openTestApp();
    writeModel(modelsFolder, "endless.gguf");
    const modelId = String((await client.models.list()).find(({ name }) => name === "endless")?.id);
    const { id: conversationId } = await client.conversations.create({ modelId });
    const status = await client.status.watch();
    const warming = client.chat.warm({ conversationId });
    await until(status, ({ engine }) => engine.state === "loading");
    expect((await ask(client, "hello")).status).toBe("complete");
    expect(await warming).toEqual({ isInterrupted: true });
  });

  test("is over when another one is opened", async () => {
    const { client, modelsFolder } = await openTestApp();
    writeModel(modelsFolder, "endless.gguf");
    const modelId = String((await client.models.list()).find(({ name }) => name === "endless")?.id);
    const [one, other] = [await client.conversations.create({ modelId }), await client.conversations.create({})];
    const status = await client.status.watch();
    const warming = client.chat.warm({ conversationId: one.id });
    await until(status, ({ engine }) => engine.state === "loading");
    const warmed = await Promise.all([warming, client.chat.warm({ conversationId: other.id })]);
    expect(warmed).toEqual([{ isInterrupted: false }, { isInterrupted: false }]);
    await until(status, ({ engine }) => engine.state === "ready" && engine.model.summary.name === "echo");
  });

  test.each(["fails", "crash"])("tells nobody that its model cannot be loaded (%s); sending does", async (name) => {
    const { client, modelsFolder } = await openTestApp();
    writeModel(modelsFolder, `${name}.gguf`);
    const modelId = String((await client.models.list()).find((model) => model.name === name)?.id);
    const { id: conversationId } = await client.conversations.create({ modelId });
    expect(await client.chat.warm({ conversationId })).toEqual({ isInterrupted: false });
    expect(await ask(client, "hello", conversationId)).toMatchObject({ status: "failed" });
  });

  test("that does not exist is refused", async () => {
    const { client } = await openTestApp();
    await expect(client.chat.warm({ conversationId: "nowhere" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a model that is loaded", () => {
  test("brings back the conversation used last, where nothing else was asked for", async () => {
    const first = await openTestApp();
    await ask(first.client, "the one before");
    const { conversationId } = await ask(first.client, "the last one");
    await first.close();
    const { client } = await openTestApp({ dataFolder: first.dataFolder });
    const [model] = await client.models.list();
    const states = await client.cache.watch();
    const isBack = ({ residency }: CacheState) =>
      residency.some((place) => place.conversationId === conversationId && place.state === "in-place");
    expect(isBack(await client.cache.get())).toBe(false);
    await client.models.load({ modelId: String(model?.id) });
    await until(states, isBack);
    await states.return();
  });

  test("leaves alone what somebody has opened", async () => {
    const first = await openTestApp();
    const { conversationId } = await ask(first.client, "the one before");
    await ask(first.client, "the last one");
    await first.close();
    const { client } = await openTestApp({ dataFolder: first.dataFolder });
    await client.chat.warm({ conversationId });
    expect(await residencyOf(client, conversationId)).toBe("in-place");
  });

  test("brings it back also after a crash of the engine it had been opened in", async () => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    await client.chat.warm({ conversationId });
    const crashed = await ask(client, "/crash 0");
    await client.conversations.delete({ conversationId: crashed.conversationId });
    expect(await residencyOf(client, conversationId)).toBe("stored");
    const states = await client.cache.watch();
    const [model] = await client.models.list();
    await client.models.load({ modelId: String(model?.id) });
    await until(states, ({ residency }) => residency.some(({ state }) => state === "in-place"));
    await states.return();
  });
});

describe("a draft", () => {
  test("is computed ahead of being sent, and the report counts it", async () => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    await client.chat.prepare({ conversationId, text: "how are" });
    const { report } = await ask(client, "how are you", conversationId);
    expect(report).toMatchObject({ preparedTokens: 2, fromResident: 6 + 2, prefilled: 1 });
  });

  test("is not stored", async () => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    await client.chat.prepare({ conversationId, text: "how are" });
    expect((await client.conversations.get({ conversationId })).messages).toHaveLength(2);
  });

  test("is given up for the next one, which is what a pause in typing brings", async () => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    const first = client.chat.prepare({ conversationId, text: "/hold" });
    await draftBegun(client, conversationId);
    await client.chat.prepare({ conversationId, text: "how are" });
    await first;
    expect((await ask(client, "how are you", conversationId)).report).toMatchObject({ preparedTokens: 2 });
  });

  test.each([
    ["something is sent", (client: AppClient, id: string) => ask(client, "how are you", id)],
    ["it is emptied", (client: AppClient, id: string) => client.chat.prepare({ conversationId: id, text: "" })],
    [
      "the conversation is deleted",
      (client: AppClient, id: string) => client.conversations.delete({ conversationId: id }),
    ],
  ])("is given up when %s", async (_, happens) => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    const preparing = client.chat.prepare({ conversationId, text: "/hold" });
    await draftBegun(client, conversationId);
    await happens(client, conversationId);
    await preparing;
  });

  test("is given up with the window that asked for it", async () => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    const closing = new AbortController();
    const preparing = client.chat.prepare({ conversationId, text: "/hold" }, { signal: closing.signal });
    await draftBegun(client, conversationId);
    closing.abort();
    await preparing;
  });

  test("typed while the answer before is written is computed when that has ended", async () => {
    const { client } = await openTestApp();
    const { conversationId, generationId, events } = await begin(client, "/count 100000 1");
    const preparing = client.chat.prepare({ conversationId, text: "how are" });
    await client.chat.stop({ generationId });
    await until(events, isFinished);
    await preparing;
    expect((await ask(client, "how are you", conversationId)).report).toMatchObject({ preparedTokens: 2 });
  });

  test("gives way to an answer that needs another model", async () => {
    const { client, modelsFolder } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    const preparing = client.chat.prepare({ conversationId, text: "/hold" });
    await draftBegun(client, conversationId);
    const { id } = await client.conversations.create({ modelId: await otherModel(client, modelsFolder) });
    expect(await ask(client, "hello", id)).toMatchObject({ status: "complete", modelName: "other" });
    await preparing;
  });

  test("loads no model and starts no engine", async () => {
    const { client, launched } = await openTestApp();
    const { id: conversationId } = await client.conversations.create({});
    await client.chat.prepare({ conversationId, text: "how are" });
    expect(launched).toHaveLength(0);
  });

  test("that fails tells nobody", async () => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    await client.chat.prepare({ conversationId, text: "/fail" });
    expect((await client.status.get()).notices).toEqual([]);
  });

  test.each([
    ["auto", "the mains", false, 2],
    ["auto", "its battery", true, 0],
    ["on", "its battery", true, 2],
    ["off", "the mains", false, 0],
  ] as const)("with the setting %s, on a machine that runs on %s", async (prepareDrafts, _, isOnBattery, prepared) => {
    const { client } = await openTestApp({ isOnBattery: () => isOnBattery });
    await client.settings.update({ prepareDrafts });
    const { conversationId } = await ask(client, "hello there");
    await client.chat.prepare({ conversationId, text: "how are" });
    expect((await ask(client, "how are you", conversationId)).report?.preparedTokens).toBe(prepared);
  });
});

describe("a draft of a conversation that is not begun", () => {
  test("is computed under the id that the conversation is given when it begins", async () => {
    const { client } = await openTestApp();
    await ask(client, "hello there");
    const id = newId();
    const newConversation = { systemPrompt: "Be brief." };
    await client.chat.prepare({ conversationId: id, text: "how are", newConversation });
    await client.conversations.create({ id, ...newConversation });
    expect((await ask(client, "how are you", id)).report).toMatchObject({ preparedTokens: 2 });
  });

  test("leaves nothing in the list, also after a restart, where it is discarded", async () => {
    const { client, close, dataFolder } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    const draft = { conversationId: newId(), newConversation: { title: "Secret" } };
    await client.chat.prepare({ ...draft, text: "how are" });
    await client.chat.prepare({ ...draft, text: "" });
    await close();
    const again = await openTestApp({ dataFolder });
    expect((await again.client.conversations.list()).map(({ id }) => id)).toEqual([conversationId]);
    expect((await again.client.cache.get()).residency.map((place) => place.conversationId)).toEqual([conversationId]);
  });

  test("is one of that conversation once it has begun", async () => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "one");
    // 1 word of the question, 3 of the answer, 2 of the draft; the system prompt it was to begin with does not count.
    const draft = { conversationId, text: "and two", newConversation: { systemPrompt: "Be very brief." } };
    expect(await client.chat.measure(draft)).toMatchObject({ promptTokens: 6 });
  });

  test("is measured with its system prompt, and by the model it will have", async () => {
    const { client, modelsFolder } = await openTestApp();
    await ask(client, "one");
    const draft = { conversationId: newId(), text: "and two" };
    expect(await client.chat.measure({ ...draft, newConversation: {} })).toMatchObject({ promptTokens: 2 });
    const newConversation = { systemPrompt: "Be brief." };
    expect(await client.chat.measure({ ...draft, newConversation })).toMatchObject({ promptTokens: 4 });
    const modelId = await otherModel(client, modelsFolder);
    expect(await client.chat.measure({ ...draft, newConversation: { modelId } })).toBeNull();
  });

  test("without what it is to begin with is one of a conversation that is not there", async () => {
    const { client } = await openTestApp();
    const draft = { conversationId: newId(), text: "how are" };
    await expect(client.chat.prepare(draft)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(client.chat.measure(draft)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("an edit of an earlier message", () => {
  test("is computed and measured behind the messages before it", async () => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "one");
    await ask(client, "two three", conversationId);
    const [, answer] = (await client.conversations.get({ conversationId })).messages;
    const parentId = answer?.id ?? "";
    // 1 word of the first question, 3 of its answer, 2 of the edit.
    const draft = { conversationId, text: "two four", parentId };
    expect(await client.chat.measure(draft)).toMatchObject({ promptTokens: 6 });
    expect(await client.chat.measure({ ...draft, parentId: null })).toMatchObject({ promptTokens: 2 });
    await client.chat.prepare(draft);
    const events = await client.chat.watch({ conversationId });
    await client.chat.send({ conversationId, text: "two four five", parentId });
    expect((await until(events, isFinished)).message.report).toMatchObject({ promptTokens: 7, preparedTokens: 2 });
  });

  test("cannot go on from another conversation's message", async () => {
    const { client } = await openTestApp();
    const [one, other] = [await ask(client, "one"), await ask(client, "two")];
    const draft = { conversationId: one.conversationId, text: "two four", parentId: other.id };
    await expect(client.chat.prepare(draft)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(client.chat.measure(draft)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("the size of what would be sent", () => {
  test("is that of the path with the draft", async () => {
    const { client } = await openTestApp();
    const { id: conversationId } = await client.conversations.create({ systemPrompt: "Be brief." });
    await ask(client, "one", conversationId);
    // 2 words of the system prompt, 1 of the question, 3 of the answer, 2 of the draft.
    const size = await client.chat.measure({ conversationId, text: "and two" });
    expect(size).toEqual({
      promptTokens: 8,
      contextTokens: 512,
      isFitting: true,
      residentTokens: 6,
      storedTokens: 6,
      computeMs: 2,
      shortened: null,
    });
  });

  test("is told also where it does not fit", async () => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "one");
    const size = await client.chat.measure({ conversationId, text: "word ".repeat(600) });
    expect(size?.promptTokens).toBeGreaterThan(600);
  });

  test("is unknown while the conversation's model is not loaded, and nothing is started to know it", async () => {
    const { client, launched, modelsFolder } = await openTestApp();
    const { id: conversationId } = await client.conversations.create({});
    expect(await client.chat.measure({ conversationId, text: "one" })).toBeNull();
    expect(launched).toHaveLength(0);
    await ask(client, "one", conversationId);
    const { id: elsewhere } = await client.conversations.create({ modelId: await otherModel(client, modelsFolder) });
    expect(await client.chat.measure({ conversationId: elsewhere, text: "one" })).toBeNull();
  });
});
