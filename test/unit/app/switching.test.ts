/** A conversation goes on with another model, which is loaded and filled in the background. */
import { expect, test } from "vitest";
import type { AppClient, ChatEvent } from "../../../src-main/contract/app-contract.ts";
import type { ModelSwitch } from "../../../src-main/contract/model-switch.ts";
import { ask, begin, isFinished, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";

type Switching = Extract<ChatEvent, { type: "switching" }>;

const isSwitching = (event: ChatEvent): event is Switching => event.type === "switching";
const isOver = (event: ChatEvent) => isSwitching(event) && event.switching === null;
const isIn = (name: ModelSwitch["phase"]["name"]) => (event: ChatEvent) =>
  isSwitching(event) && event.switching?.phase.name === name;

async function modelIdOf(client: AppClient, wanted: string): Promise<string> {
  const file = (await client.models.list()).find(({ name }) => name === wanted);
  if (file === undefined) throw new Error(`there is no ${wanted}`);
  return file.id;
}

/** An app with the model `echo` and others by these names, and a conversation with the first. */
async function openChat(...names: readonly string[]) {
  const app = await openTestApp();
  for (const name of names) writeModel(app.modelsFolder, `${name}.gguf`);
  const { client } = app;
  const { conversationId } = await ask(client, "one two three");
  const events = await client.chat.watch({ conversationId });
  await until(events, ({ type }) => type === "thread");
  const ids = Object.fromEntries(
    await Promise.all(["echo", ...names].map(async (name) => [name, await modelIdOf(client, name)] as const)),
  );
  const idOf = (name: string) => String(ids[name]);
  return { ...app, conversationId, events, idOf };
}

/** The phases up to the end of a switch, each once. */
async function phasesOf(events: AsyncIterator<ChatEvent>): Promise<string[]> {
  const phases: string[] = [];
  await until(events, (event) => {
    const phase = isSwitching(event) ? event.switching?.phase.name : undefined;
    if (phase !== undefined && phases.at(-1) !== phase) phases.push(phase);
    return isOver(event);
  });
  return phases;
}

test("the model is loaded beside the other, the conversation put in place, and the next answer is its", async () => {
  const { client, conversationId, events, idOf } = await openChat("other");
  const changed = await client.chat.switchModel({ conversationId, modelId: idOf("other") });
  expect(changed).toMatchObject({ id: conversationId, modelId: idOf("other") });
  expect(await phasesOf(events)).toEqual(expect.arrayContaining(["waiting", "prefill"]));
  const { engine } = await client.status.get();
  expect(engine).toMatchObject({ state: "ready", modelId: idOf("other") });
  expect(engine.state === "ready" && engine.residents.map(({ modelId }) => modelId)).toEqual([
    idOf("other"),
    idOf("echo"),
  ]);
  const answer = await ask(client, "four", conversationId);
  expect(answer).toMatchObject({ modelName: "other", modelId: idOf("other"), report: { model: { name: "other" } } });
  expect(answer.report?.prefilled).toBe(1);
});

test("what it takes is told beforehand: loaded or not, who makes way, what is computed", async () => {
  const { client, conversationId, events, idOf } = await openChat("other", "large");
  const costOf = (name: string) => client.chat.switchCost({ conversationId, modelId: idOf(name) });
  expect(await costOf("echo")).toMatchObject({ isActive: true, isResident: true, loadBytes: 0, loadMs: 0, closes: [] });
  expect(await costOf("other")).toMatchObject({
    modelId: idOf("other"),
    isActive: false,
    isResident: false,
    loadBytes: 4,
    loadMs: null,
    keepsActive: true,
    closes: [],
    computeMs: null,
  });
  expect(await costOf("large")).toMatchObject({ keepsActive: false, closes: [idOf("echo")] });
  await client.chat.switchModel({ conversationId, modelId: idOf("large") });
  await phasesOf(events);
  expect(await costOf("large")).toMatchObject({ isActive: true, computeTokens: 0, computeMs: 0 });
  // It was loaded before, and made way.
  expect(await costOf("echo")).toMatchObject({ isResident: false, loadMs: 1, closes: [idOf("large")] });
  await expect(client.chat.switchCost({ conversationId, modelId: "none" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

test("it waits for the answers of another model, which go on as they began", async () => {
  const { client, conversationId, events, idOf } = await openChat("other");
  const running = await begin(client, "/count 100000 1");
  await client.chat.switchModel({ conversationId, modelId: idOf("other") });
  await until(events, isIn("waiting"));
  await client.chat.stop({ generationId: running.generationId });
  const stopped = await until(running.events, isFinished);
  expect(stopped.message).toMatchObject({ status: "stopped", modelName: "echo", modelId: idOf("echo") });
  expect(await phasesOf(events)).toContain("prefill");
  expect((await client.status.get()).engine).toMatchObject({ modelId: idOf("other") });
});

test("an answer goes first, of whichever model, and it goes on behind it", async () => {
  const { client, conversationId, events, idOf } = await openChat("other");
  await ask(client, "/slow", conversationId);
  await client.chat.switchModel({ conversationId, modelId: idOf("other") });
  await until(events, isIn("prefill"));
  const { id: elsewhere } = await client.conversations.create({ modelId: idOf("echo") });
  expect(await ask(client, "hello", elsewhere)).toMatchObject({ status: "complete", modelName: "echo" });
  await until(events, isOver);
  expect((await client.status.get()).engine).toMatchObject({ modelId: idOf("other") });
});

test.each([
  [
    "when it is cancelled",
    async ({ client, conversationId }: { client: AppClient; conversationId: string }) =>
      client.chat.cancelSwitch({ conversationId }),
  ],
  [
    "when another conversation is opened",
    async ({ client }: { client: AppClient }) => {
      const { id } = await client.conversations.create({});
      await client.chat.warm({ conversationId: id });
    },
  ],
  [
    "when the next message is sent",
    async ({ client, conversationId }: { client: AppClient; conversationId: string }) =>
      client.chat.send({ conversationId, text: "four" }),
  ],
] as const)("it ends %s, and the choice stays", async (_, end) => {
  const { client, conversationId, events, idOf } = await openChat("other");
  await ask(client, "/slow", conversationId);
  await client.chat.switchModel({ conversationId, modelId: idOf("other") });
  await until(events, isIn("prefill"));
  await end({ client, conversationId });
  await until(events, isOver);
  const { conversation } = await client.conversations.get({ conversationId });
  expect(conversation.modelId).toBe(idOf("other"));
});

test("a reader that comes later is told how far it is", async () => {
  const { client, conversationId, events, idOf } = await openChat("other");
  await ask(client, "/slow", conversationId);
  await client.chat.switchModel({ conversationId, modelId: idOf("other") });
  await until(events, isIn("prefill"));
  const late = await until(await client.chat.watch({ conversationId }), ({ type }) => type === "thread");
  expect(late).toMatchObject({ switching: { modelId: idOf("other"), phase: { name: "prefill" } } });
});

test("what cannot be loaded is told, until something else is done", async () => {
  const { client, conversationId, events, idOf } = await openChat("fails");
  await client.chat.switchModel({ conversationId, modelId: idOf("fails") });
  const failed = await until(events, isIn("failed"));
  expect(failed).toMatchObject({ switching: { phase: { error: { code: "ENGINE_FAILED" } } } });
  await client.chat.switchModel({ conversationId, modelId: idOf("echo") });
  await until(events, isOver);
  expect(await ask(client, "four", conversationId)).toMatchObject({ status: "complete", modelName: "echo" });
});

test("a model that is on no list is refused, and nothing is changed", async () => {
  const { client, conversationId } = await openChat();
  const refused = client.chat.switchModel({ conversationId, modelId: "none" });
  await expect(refused).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect((await client.conversations.get({ conversationId })).conversation.modelId).toBeNull();
});

test("a conversation that is deleted meanwhile ends it", async () => {
  const { client, conversationId, events, idOf } = await openChat("other");
  await ask(client, "/slow", conversationId);
  await client.chat.switchModel({ conversationId, modelId: idOf("other") });
  await until(events, isIn("prefill"));
  await client.conversations.delete({ conversationId });
  await until(events, ({ type }) => type === "deleted");
});

test("when the engine dies no model is in memory any more", async () => {
  const { client, conversationId, events, idOf, launched } = await openChat("other");
  await client.chat.switchModel({ conversationId, modelId: idOf("other") });
  await until(events, isOver);
  const status = await client.status.watch();
  process.kill(Number(launched[0]?.pid), "SIGKILL");
  await until(status, ({ engine }) => engine.state === "failed");
  await ask(client, "four", conversationId);
  const { engine } = await client.status.get();
  expect(engine.state === "ready" && engine.residents.map(({ modelId }) => modelId)).toEqual([idOf("other")]);
});

test("an answer remembers its model when that is on the list no more", async () => {
  const { client, conversationId, idOf } = await openChat("other");
  await client.conversations.update({ conversationId, patch: { modelId: idOf("other") } });
  await ask(client, "four", conversationId);
  await client.models.remove({ modelId: idOf("other"), deletesFile: true });
  const { messages } = await client.conversations.get({ conversationId });
  expect(messages.map(({ modelName }) => modelName)).toEqual([null, "echo", null, "other"]);
  expect(messages.map(({ modelId }) => modelId)).toEqual([null, idOf("echo"), null, idOf("other")]);
});
