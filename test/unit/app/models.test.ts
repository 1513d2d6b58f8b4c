import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import type { ModelFile } from "../../../src-main/contract/model.ts";
import { ask, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

/** The list once the engine has looked into every file of it. */
async function inspected(client: AppClient): Promise<ModelFile[]> {
  const events = await client.models.watch();
  return until(events, (files) => files.every(({ summary, problem }) => summary !== null || problem !== null));
}

test("the models folder is listed, the default model first, and looked into in the background", async () => {
  const { client, modelsFolder } = await openTestApp();
  writeModel(modelsFolder, "alpha.gguf");
  writeModel(join(modelsFolder, "below"), "beta.gguf");
  expect((await client.models.list()).map(({ name, isDefault }) => [name, isDefault])).toEqual([
    ["echo", true],
    ["alpha", false],
    ["beta", false],
  ]);
  expect(await inspected(client)).toMatchObject([
    { name: "echo", sizeBytes: 4, summary: { architecture: "echo" }, problem: null },
    { name: "alpha", summary: { architecture: "echo" } },
    { name: "beta", summary: { architecture: "echo" } },
  ]);
});

test("a file that is no GGUF stays listed with its problem", async () => {
  const { client, modelsFolder } = await openTestApp();
  writeFileSync(join(modelsFolder, "letter.gguf"), "Dear Sir or Madam");
  const letter = (await inspected(client)).find(({ name }) => name === "letter");
  expect(letter).toMatchObject({ summary: null, problem: { code: "MODEL_INVALID" } });
});

test("a file that was replaced is looked into again", async () => {
  const { client, modelsFolder } = await openTestApp();
  const path = join(modelsFolder, "alpha.gguf");
  writeFileSync(path, "no model");
  expect(await inspected(client)).toMatchObject([{}, { name: "alpha", problem: { code: "MODEL_INVALID" } }]);
  writeFileSync(path, "GGUF at last");
  expect(await inspected(client)).toMatchObject([{}, { name: "alpha", problem: null, sizeBytes: 12 }]);
});

test("a file is added where it lies, answers, and can be taken off the list", async () => {
  const { client } = await openTestApp();
  const path = writeModel(temporaryFolder(), "mine.gguf");
  const added = await client.models.add({ path });
  expect(added).toMatchObject({ path, name: "mine", isDefault: false, summary: { architecture: "echo" } });
  expect(await client.models.add({ path })).toEqual(added);
  const { id } = await client.conversations.create({ modelId: added.id });
  expect((await ask(client, "hello", id)).modelName).toBe("mine");

  await client.models.remove({ modelId: added.id });
  expect((await client.models.list()).map(({ name }) => name)).toEqual(["echo"]);
  expect(await ask(client, "and now?", id)).toMatchObject({
    status: "failed",
    error: { code: "NOT_FOUND", data: { what: "model", id: added.id } },
  });
});

test("adding a file of the models folder gives the one that is listed", async () => {
  const { client, modelsFolder } = await openTestApp();
  const path = writeModel(modelsFolder, "alpha.gguf");
  const added = await client.models.add({ path });
  expect((await client.models.list()).map(({ id }) => id)).toContain(added.id);
  expect(await client.models.list()).toHaveLength(2);
  await expect(client.models.remove({ modelId: added.id })).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

test("a model of the folder has the same id after a restart", async () => {
  const { client, dataFolder, modelsFolder, close } = await openTestApp();
  writeModel(modelsFolder, "alpha.gguf");
  const ids = (await client.models.list()).map(({ id }) => id);
  await close();
  const again = await openTestApp({ dataFolder });
  expect((await again.client.models.list()).map(({ id }) => id)).toEqual(ids);
});

test.each([
  ["missing", "MODEL_MISSING", (path: string) => path],
  [
    "a folder",
    "MODEL_INVALID",
    (path: string) => {
      mkdirSync(path);
    },
  ],
  [
    "no GGUF",
    "MODEL_INVALID",
    (path: string) => {
      writeFileSync(path, "Dear Sir or Madam");
    },
  ],
])("a file that is %s is not added", async (_, code, prepare) => {
  const { client } = await openTestApp();
  const path = join(temporaryFolder(), "mine.gguf");
  prepare(path);
  await expect(client.models.add({ path })).rejects.toMatchObject({
    code,
    data: { path },
    message: expect.stringContaining(path) as string,
  });
  expect(await client.models.list()).toHaveLength(1);
});

test("an added file that is gone stays listed with its problem, and its conversation says so", async () => {
  const { client } = await openTestApp();
  const path = writeModel(temporaryFolder(), "mine.gguf");
  const { id: modelId } = await client.models.add({ path });
  rmSync(path);
  const listed = (await client.models.list()).find(({ id }) => id === modelId);
  expect(listed).toMatchObject({ sizeBytes: 0, problem: { code: "MODEL_MISSING", data: { path } } });
  const { id } = await client.conversations.create({ modelId });
  expect(await ask(client, "hello", id)).toMatchObject({
    status: "failed",
    modelName: "mine",
    error: { code: "MODEL_MISSING", data: { path } },
  });
});

test("a model can be loaded before the first message", async () => {
  const { client } = await openTestApp();
  const [model] = await client.models.list();
  await client.models.load({ modelId: String(model?.id) });
  expect((await client.status.get()).engine).toMatchObject({ state: "ready", modelId: model?.id });
});

test("a load that nobody waits for any more makes way for another model", async () => {
  const { client, modelsFolder } = await openTestApp();
  writeModel(modelsFolder, "endless.gguf");
  const endless = (await client.models.list()).find(({ name }) => name === "endless");
  const { id: conversationId } = await client.conversations.create({ modelId: String(endless?.id) });
  const { generationId } = await client.chat.send({ conversationId, text: "hello" });
  await until(await client.status.watch(), ({ engine }) => engine.state === "loading" && engine.fraction > 0);
  await client.chat.stop({ generationId });
  expect((await client.status.get()).engine).toMatchObject({ state: "loading", modelName: "endless" });
  expect((await ask(client, "hello")).status).toBe("complete");
});

test.each([
  ["measured once for a file", "calm.gguf", false],
  ["measured again where other programs disturbed it", "busy.gguf", true],
])("threads are %s", async (_, name, isMeasuredAgain) => {
  const first = await openTestApp();
  const { dataFolder, modelsFolder } = first;
  writeModel(modelsFolder, name);
  /** The engine process that measured. */
  const measuredBy = async (client: AppClient) => {
    const model = (await client.models.list()).find(({ path }) => path.endsWith(name));
    await client.models.load({ modelId: String(model?.id) });
    const { engine } = await client.status.get();
    return engine.state === "ready" ? engine.model.tuning.measured[0]?.prefillTokensPerSecond : null;
  };
  const before = await measuredBy(first.client);
  expect(before).toBe(first.launched[0]?.pid);
  await first.close();
  const second = await openTestApp({ dataFolder });
  expect(await measuredBy(second.client)).toBe(isMeasuredAgain ? second.launched[0]?.pid : before);
});

test("the model from the settings answers where the conversation names none", async () => {
  const { client, modelsFolder } = await openTestApp();
  writeModel(modelsFolder, "alpha.gguf");
  const alpha = (await client.models.list()).find(({ name }) => name === "alpha");
  await client.settings.update({ modelId: String(alpha?.id) });
  expect((await ask(client, "hello")).modelName).toBe("alpha");
});
