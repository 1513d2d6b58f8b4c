import { expect, test } from "vitest";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import type { FamilyLevel } from "../../../src-main/contract/model-library.ts";
import { ask, begin, isFinished, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";

async function openModels(...names: readonly string[]) {
  const app = await openTestApp();
  for (const name of names) writeModel(app.modelsFolder, `${name}.gguf`);
  const files = await app.client.models.list();
  const idOf = (wanted: string) => String(files.find(({ name }) => name === wanted)?.id);
  return { ...app, idOf };
}

async function levelsOf(client: AppClient, isWanted: (levels: FamilyLevel[]) => boolean): Promise<FamilyLevel[]> {
  const cards = await until(await client.models.families(), (all) => isWanted(all.flatMap(({ levels }) => levels)));
  return cards.flatMap(({ levels }) => levels);
}

test("a model that was never used is measured, and the one before is at hand again", async () => {
  const { client, launched, idOf } = await openModels("other");
  await ask(client, "hello");
  const status = await client.status.watch();
  const speed = await client.models.measure({ modelId: idOf("other") });
  expect(speed).toEqual({
    prefillTokensPerSecond: launched[0]?.pid,
    decodeTokensPerSecond: 1,
    measuredAt: expect.any(Number) as number,
    underLoad: false,
  });
  await until(status, ({ engine }) => engine.state === "ready" && engine.modelId === idOf("echo"));
  const levels = await levelsOf(client, (all) => all.every((level) => level.speed !== null));
  expect(levels.find(({ modelId }) => modelId === idOf("other"))?.speed).toEqual(speed);
  expect(levels.filter(({ isFastestPrefill }) => isFastestPrefill)).toHaveLength(1);
  expect(levels.filter(({ isReference }) => isReference)).toHaveLength(1);
});

test("one that was measured already is not loaded for it", async () => {
  const { client, idOf } = await openModels("other");
  const speed = await client.models.measure({ modelId: idOf("other") });
  await client.models.load({ modelId: idOf("echo") });
  expect(await client.models.measure({ modelId: idOf("other") })).toEqual(speed);
  expect((await client.status.get()).engine).toMatchObject({ modelId: idOf("echo") });
});

test("answers go first, and it is measured behind them", async () => {
  const { client, idOf } = await openModels("other");
  const { generationId, events } = await begin(client, "/count 100000 1");
  const measured = client.models.measure({ modelId: idOf("other") });
  await client.chat.stop({ generationId });
  expect((await until(events, isFinished)).message).toMatchObject({ status: "stopped", modelName: "echo" });
  expect(await measured).toMatchObject({ decodeTokensPerSecond: 1 });
});

test("at hand again is the model of whoever came between", async () => {
  const { client, idOf } = await openModels("other", "third");
  const { generationId } = await begin(client, "/hold", 0);
  const measured = client.models.measure({ modelId: idOf("other") });
  const { id: conversationId } = await client.conversations.create({ modelId: idOf("third") });
  await client.chat.send({ conversationId, text: "hello" });
  await client.chat.stop({ generationId });
  await measured;
  // Begins when the one before has ended, and loads nothing.
  await client.models.measure({ modelId: idOf("other") });
  expect((await client.status.get()).engine).toMatchObject({ state: "ready", modelId: idOf("third") });
});

test("what cannot be loaded cannot be measured", async () => {
  const { client, idOf } = await openModels("fails");
  await expect(client.models.measure({ modelId: idOf("fails") })).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  await expect(client.models.measure({ modelId: "none" })).rejects.toMatchObject({ code: "NOT_FOUND" });
});
