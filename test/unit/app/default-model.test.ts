import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { RepriseError } from "../../../src-main/contract/errors.ts";
import { ask, isFinished, modelSource, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

/** A source whose fetch ends when the test says so. */
function slowSource() {
  const path = join(temporaryFolder(), "models", "echo.gguf");
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  let fetches = 0;
  const source = modelSource(path, async (onStatus, signal) => {
    fetches += 1;
    onStatus({ state: "fetching", source: "hub", receivedBytes: 1, totalBytes: 4, secondsLeft: null });
    signal.addEventListener("abort", () => {
      reject(signal.reason as Error);
    });
    await promise;
    writeModel(dirname(path), "echo.gguf");
  });
  return {
    source,
    arrive: () => {
      resolve(undefined);
    },
    fail: reject,
    count: () => fetches,
  };
}

const offline = new RepriseError("MODEL_FETCH_FAILED", "No source could be reached.", {
  attempts: [{ source: "hub", reason: "offline" }],
});

test("where the default model is missing it is fetched in the background, with progress", async () => {
  const { source, arrive } = slowSource();
  const { client } = await openTestApp({ defaultModelSource: source });
  const events = await client.status.watch();
  expect(await until(events, ({ fetch }) => fetch.state === "fetching")).toMatchObject({
    fetch: { source: "hub", receivedBytes: 1, totalBytes: 4 },
  });
  arrive();
  await until(events, ({ fetch }) => fetch.state === "none");
});

test("a message sent meanwhile waits for it", async () => {
  const { source, arrive, count } = slowSource();
  const { client } = await openTestApp({ defaultModelSource: source });
  const { id: conversationId } = await client.conversations.create({});
  const events = await client.chat.watch({ conversationId });
  await events.next();
  await client.chat.send({ conversationId, text: "hello" });
  expect(await until(events, () => true)).toMatchObject({ type: "path", generation: { phase: { name: "queued" } } });
  arrive();
  expect((await until(events, isFinished)).message).toMatchObject({ status: "complete", modelName: "echo" });
  expect(count()).toBe(1);
});

test("a message that waits for it can be stopped", async () => {
  const { source } = slowSource();
  const { client } = await openTestApp({ defaultModelSource: source });
  const { id: conversationId } = await client.conversations.create({});
  const { generationId } = await client.chat.send({ conversationId, text: "hello" });
  await client.chat.stop({ generationId });
  const { messages } = await client.conversations.get({ conversationId });
  expect(messages.at(-1)).toMatchObject({ status: "stopped", content: "" });
});

test("where it cannot be fetched the app is there all the same, and the answer says why", async () => {
  const { source, fail, arrive } = slowSource();
  const { client } = await openTestApp({ defaultModelSource: source });
  fail(offline);
  await until(await client.status.watch(), ({ fetch }) => fetch.state === "failed");
  expect(await ask(client, "hello")).toMatchObject({
    status: "failed",
    error: { code: "MODEL_FETCH_FAILED", message: "No source could be reached." },
  });
  arrive();
});

test("a failed fetch can be tried again, and a model of one's own be used meanwhile", async () => {
  const path = join(temporaryFolder(), "models", "echo.gguf");
  let isOnline = false;
  const source = modelSource(path, () => {
    if (!isOnline) return Promise.reject(offline);
    writeModel(dirname(path), "echo.gguf");
    return Promise.resolve();
  });
  const { client } = await openTestApp({ defaultModelSource: source });
  await expect(client.models.fetchDefault()).rejects.toMatchObject({ code: "MODEL_FETCH_FAILED" });
  const { id: modelId } = await client.models.add({ path: writeModel(temporaryFolder(), "mine.gguf") });
  const { id } = await client.conversations.create({ modelId });
  expect((await ask(client, "hello", id)).status).toBe("complete");

  isOnline = true;
  await client.models.fetchDefault();
  expect((await client.status.get()).fetch).toEqual({ state: "none" });
  expect((await ask(client, "hello")).status).toBe("complete");
});

test("a cancelled fetch leaves a sentence for who sends a message", async () => {
  const { source } = slowSource();
  const { client } = await openTestApp({ defaultModelSource: source });
  await client.models.cancelFetch();
  expect((await client.status.get()).fetch).toEqual({ state: "none" });
  expect(await ask(client, "hello")).toMatchObject({ status: "failed", error: { code: "MODEL_MISSING" } });
});

test("nothing is fetched where nobody is going to chat", async () => {
  const { source, count } = slowSource();
  const { client } = await openTestApp({ defaultModelSource: source, fetchDefaultModel: false });
  expect(await client.conversations.list()).toEqual([]);
  expect(count()).toBe(0);
});

test("a model that was fetched appears on the list", async () => {
  const dataFolder = temporaryFolder();
  const path = join(dataFolder, "models", "echo.gguf");
  mkdirSync(dirname(path));
  const source = modelSource(path, () => {
    writeModel(dirname(path), "echo.gguf");
    return Promise.resolve();
  });
  const { client } = await openTestApp({ dataFolder, defaultModelSource: source, fetchDefaultModel: false });
  const events = await client.models.watch();
  expect(await until(events, () => true)).toEqual([]);
  await client.models.fetchDefault();
  expect(await until(events, (files) => files.length > 0)).toMatchObject([{ name: "echo", isDefault: true }]);
});
