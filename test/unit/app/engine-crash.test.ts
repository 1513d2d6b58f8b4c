import { expect, test } from "vitest";
import { ask, begin, isFinished, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";

const cause = "it was ended by SIGABRT: /src/ggml.c:1: GGML_ASSERT(echo) failed";

test("a crash in the middle of an answer keeps its text and tells the cause; the next message starts the engine again", async () => {
  const { client, launched } = await openTestApp();
  const { id } = await client.conversations.create({});
  const broken = await ask(client, "/crash 20", id);
  expect(broken.content.trim().split(" ")).toHaveLength(20);
  expect(broken).toMatchObject({ status: "failed", error: { code: "ENGINE_CRASHED", data: { cause } }, report: null });
  const { engine, notices } = await client.status.get();
  expect(engine).toMatchObject({ state: "failed", error: { code: "ENGINE_CRASHED" } });
  expect(notices).toMatchObject([{ error: { code: "ENGINE_CRASHED", data: { cause } } }]);

  expect(await ask(client, "still there?", id)).toMatchObject({ status: "complete" });
  expect(launched).toHaveLength(2);
  expect((await client.status.get()).engine).toMatchObject({ state: "ready", model: { summary: { name: "echo" } } });
  const { messages } = await client.conversations.get({ conversationId: id });
  expect(messages[1]).toEqual(broken);
});

test("kill -9 of the engine keeps the app and the text so far", async () => {
  const { client, launched } = await openTestApp();
  const { events } = await begin(client, "/count 100000 1", 10);
  process.kill(Number(launched[0]?.pid), "SIGKILL");
  const { message } = await until(events, isFinished);
  expect(message).toMatchObject({ status: "failed", error: { code: "ENGINE_CRASHED" } });
  expect(message.content).toMatch(/^1 2 3 4 5 6 7 8 9 10 /);
  expect((await ask(client, "hello")).status).toBe("complete");
});

test("who was only waiting for the engine is answered by the next one", async () => {
  const { client } = await openTestApp();
  const { events } = await begin(client, "/count 30 2", 1);
  const [crashed, other] = await Promise.all([ask(client, "/crash 1"), ask(client, "hello")]);
  expect(crashed).toMatchObject({ status: "failed", content: "1 " });
  expect(other).toMatchObject({ status: "complete", content: "You said: hello" });
  expect((await until(events, isFinished)).message.status).toBe("complete");
});

test("a model that brings the engine down while it loads fails its own answer only", async () => {
  const { client, modelsFolder } = await openTestApp();
  writeModel(modelsFolder, "crash.gguf");
  const model = (await client.models.list()).find(({ name }) => name === "crash");
  const { id } = await client.conversations.create({ modelId: String(model?.id) });
  expect(await ask(client, "hello", id)).toMatchObject({
    status: "failed",
    error: { code: "ENGINE_CRASHED", message: expect.stringContaining("while it was loading crash") as string },
  });
  expect((await ask(client, "hello")).status).toBe("complete");
});

test("a model that does not load says why, and the engine goes on", async () => {
  const { client, modelsFolder, launched } = await openTestApp();
  writeModel(modelsFolder, "fails.gguf");
  const model = (await client.models.list()).find(({ name }) => name === "fails");
  await expect(client.models.load({ modelId: String(model?.id) })).rejects.toMatchObject({
    code: "ENGINE_FAILED",
    message: "There is not enough memory for this model.",
  });
  expect((await client.status.get()).engine).toEqual({ state: "idle" });
  expect((await ask(client, "hello")).status).toBe("complete");
  expect(launched).toHaveLength(1);
});

test("a notice that was read is gone", async () => {
  const { client } = await openTestApp();
  await ask(client, "/crash 0");
  const [notice] = (await client.status.get()).notices;
  await client.status.dismissNotice({ noticeId: String(notice?.id) });
  expect((await client.status.get()).notices).toEqual([]);
});

test("the status shows the engine starting, loading and ready", async () => {
  const { client } = await openTestApp();
  const events = await client.status.watch();
  const states: string[] = [];
  const ready = until(events, ({ engine }) => {
    states.push(engine.state);
    return engine.state === "ready";
  });
  await ask(client, "hello");
  await ready;
  expect(states[0]).toBe("idle");
  expect(states).toContain("starting");
});
