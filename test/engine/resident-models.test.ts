/** Several models at hand within one turn of the engine. */
import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { defaultLoadOptions } from "../../src-main/contract/model-settings.ts";
import { EngineCache } from "../../src-main/engine/engine-cache.ts";
import { ResidentModels } from "../../src-main/engine/resident-models.ts";
import { codedError } from "../helpers/coded-error.ts";
import { answer } from "../helpers/open-session.ts";
import { openOptions, sharedLlama } from "../helpers/open-tiny-model.ts";
import { message } from "../helpers/prompt-message.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../helpers/tiny-gguf.ts";

const messages = [message("system", "be helpful"), message("user", "hello")];

async function twoLevels() {
  const folder = temporaryFolder();
  const memory = { freeBytes: 1e12, totalBytes: 0 };
  const cache = new EngineCache(
    { freeMemory: () => ({ ...memory }) },
    { whenIdle: () => Promise.resolve(), models: () => models },
  );
  const models: ResidentModels = new ResidentModels({ library: sharedLlama, cache });
  onTestFinished(async () => {
    await models.closeAll();
    cache[Symbol.dispose]();
  });
  const inputOf = async (seed: number) => ({
    path: await writeTinyGguf(join(folder, `${seed}.gguf`), { seed }),
    options: { ...defaultLoadOptions, contextTokens: 512 },
    tuning: { prefill: 1, decode: 1, measured: [] },
    cacheFolder: join(folder, "data"),
    store: { isEnabled: true, budgetBytes: 1e9 },
    pinned: [],
  });
  return { models, memory, one: await inputOf(1), other: await inputOf(2) };
}

test("both compute in turns, each as it would alone, and stay in memory", async () => {
  const { models, one, other } = await twoLevels();
  const alone: string[] = [];
  for (const input of [one, other]) {
    const session = await models.activate(input, openOptions);
    alone.push((await answer(session, messages)).text);
    await models.closeAll();
  }
  const together = await models.withModels([one, other], openOptions, async ([first, second]) => {
    if (first === undefined || second === undefined) throw new Error("a model is missing");
    const texts = [await answer(first, messages), await answer(second, messages)].map(({ text }) => text);
    const again = await answer(first, messages);
    expect(again.done.report.fromResident).toBe(again.done.report.promptTokens - 1);
    return texts;
  });
  expect(together).toEqual(alone);
  expect(alone[0]).not.toBe(alone[1]);
  expect(models.all.map(({ description }) => description.path)).toEqual([one.path, other.path]);
  expect(models.active?.description.path).toBe(one.path);
});

test("where both do not fit the first stays, and the caller is told", async () => {
  const { models, memory, one, other } = await twoLevels();
  memory.freeBytes = 0;
  const together = models.withModels([one, other], openOptions, () => Promise.reject(new Error("it was called")));
  await expect(together).rejects.toMatchObject(codedError("ENGINE_FAILED"));
  expect(models.active?.description.path).toBe(one.path);
  // Nobody holds it any more.
  await models.activate(other, openOptions);
  expect(models.all.map(({ description }) => description.path)).toEqual([other.path]);
});

test("the one longest unused makes way for a fourth", async () => {
  const { models, one, other } = await twoLevels();
  const fourth = { ...one, options: { ...one.options, contextTokens: 256 } };
  const third = { ...one, options: { ...one.options, contextTokens: 768 } };
  for (const input of [one, other, third, one, fourth]) await models.activate(input, openOptions);
  const kept = models.all.map(({ description }) => [description.path, description.contextTokens]);
  expect(kept).toEqual([
    [one.path, 256],
    [one.path, 512],
    [one.path, 768],
  ]);
});
