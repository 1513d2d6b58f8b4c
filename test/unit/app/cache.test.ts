import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { storedWordsPath } from "../../helpers/echo-cache.ts";
import { ask, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";

const storedIn = (dataFolder: string) =>
  JSON.parse(readFileSync(storedWordsPath(dataFolder), "utf8")) as Record<string, number>;

describe("watching the cache", () => {
  test("begins without an engine, with nothing in place, and starts none", async () => {
    const { client, launched } = await openTestApp();
    await client.settings.update({ storeCache: false });
    const states = await client.cache.watch();
    expect(await until(states, () => true)).toMatchObject({
      cells: null,
      runs: [],
      residency: [],
      store: { isEnabled: false, usedBytes: 0, blocks: 0, failure: null },
    });
    expect(launched).toHaveLength(0);
  });

  test("goes on through the engine's start, its turns, its end and its next start", async () => {
    const { client, launched } = await openTestApp();
    const states = await client.cache.watch();
    await until(states, ({ cells }) => cells === null);
    const { conversationId } = await ask(client, "hello there");
    await until(states, ({ cells, residency }) => cells !== null && residency[0]?.state === "in-place");
    process.kill(Number(launched[0]?.pid), "SIGKILL");
    const gone = await until(states, ({ cells }) => cells === null);
    // In place no more, and stored as it was.
    expect(gone).toMatchObject({ runs: [], store: { blocks: 1 }, residency: [] });
    await ask(client, "still there?", conversationId);
    await until(states, ({ cells, residency }) => cells !== null && residency[0]?.state === "in-place");
    expect(launched).toHaveLength(2);
  });

  test("goes on through loading another model", async () => {
    const { client, modelsFolder } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    const states = await client.cache.watch();
    await until(states, ({ residency }) => residency[0]?.state === "in-place");
    const { id: modelId } = await client.models.add({ path: writeModel(modelsFolder, "other.gguf") });
    await client.models.load({ modelId });
    const { residency } = await until(
      states,
      (state) => state.cells !== null && state.residency[0]?.state === "stored",
    );
    expect(residency).toMatchObject([{ conversationId }]);
  });

  test("is of use to several at once, and to whoever comes after the last one left", async () => {
    const { client } = await openTestApp();
    await ask(client, "hello there");
    const [one, other] = [await client.cache.watch(), await client.cache.watch()];
    await until(one, ({ cells }) => cells !== null);
    await until(other, ({ cells }) => cells !== null);
    await Promise.all([one.return(), other.return()]);
    await ask(client, "and you?");
    await until(await client.cache.watch(), ({ residency }) => residency.length === 2);
  });
});

describe("the state asked for once", () => {
  test("is the store's, for which an engine starts but loads no model", async () => {
    const first = await openTestApp();
    await ask(first.client, "hello there");
    await first.close();
    const { client, launched } = await openTestApp({ dataFolder: first.dataFolder });
    expect(await client.cache.get()).toMatchObject({ cells: null, store: { blocks: 1, tokens: 6 } });
    expect(launched).toHaveLength(1);
    expect((await client.status.get()).engine).toEqual({ state: "idle" });
  });
});

describe("settings of the store", () => {
  test("are known to the engine from its start", async () => {
    const { client, dataFolder } = await openTestApp();
    await client.settings.update({ storeBudgetBytes: 5_000 });
    await ask(client, "hello there");
    expect((await client.cache.get()).store).toMatchObject({ isEnabled: true, budgetBytes: 5_000 });
    expect(Object.values(storedIn(dataFolder))).toEqual([6]);
  });

  test("are told to an engine that runs, and to who watches", async () => {
    const { client, dataFolder } = await openTestApp();
    await ask(client, "hello there");
    const states = await client.cache.watch();
    await client.settings.update({ storeCache: false, storeBudgetBytes: 100 });
    await until(states, ({ cells, store }) => cells !== null && !store.isEnabled && store.budgetBytes === 100);
    await ask(client, "not stored");
    expect(Object.keys(storedIn(dataFolder))).toHaveLength(1);
  });
});

describe("pinned conversations", () => {
  test("are told with the first load, and again when one is pinned, unpinned or deleted", async () => {
    const { client } = await openTestApp();
    const pinned = await client.conversations.create({ pinned: true });
    const { conversationId } = await ask(client, "hello there");
    const states = await client.cache.watch();
    await until(states, (state) => state.cells !== null && state.pinned.join() === pinned.id);
    await client.conversations.update({ conversationId, patch: { pinned: true } });
    await until(states, (state) => state.cells !== null && state.pinned.length === 2);
    await client.conversations.update({ conversationId: pinned.id, patch: { pinned: false } });
    await until(states, (state) => state.cells !== null && state.pinned.join() === conversationId);
  });
});

describe("a deleted conversation", () => {
  test("goes from the cache at once where an engine runs", async () => {
    const { client } = await openTestApp();
    const { conversationId } = await ask(client, "hello there");
    const states = await client.cache.watch();
    await client.conversations.delete({ conversationId });
    await until(
      states,
      ({ cells, residency, store }) => cells !== null && residency.length === 0 && store.blocks === 0,
    );
  });

  test("goes before the app ends where none ran, and no other one does", async () => {
    const first = await openTestApp();
    const [gone, kept] = [await ask(first.client, "hello there"), await ask(first.client, "and you?")];
    await first.close();
    const { client, dataFolder, close } = await openTestApp({ dataFolder: first.dataFolder });
    await client.conversations.delete({ conversationId: gone.conversationId });
    await close();
    expect(Object.keys(storedIn(dataFolder))).toEqual([kept.conversationId]);
  });

  test("starts no engine where nothing was ever stored", async () => {
    const { client, launched, close } = await openTestApp();
    const { id: conversationId } = await client.conversations.create({});
    await client.conversations.delete({ conversationId });
    await close();
    expect(launched).toHaveLength(0);
  });

  test.each([
    ["what is stored of it", 6],
    ["what is only remembered of it", null],
  ])("goes when the cache is next opened where no engine could be told: %s", async (_, words) => {
    const first = await openTestApp();
    const { conversationId } = await ask(first.client, "hello there");
    await first.close();
    writeFileSync(storedWordsPath(first.dataFolder), JSON.stringify({ [conversationId]: words }));
    const launchEngine = () => {
      throw new Error("no engine starts");
    };
    const second = await openTestApp({ dataFolder: first.dataFolder, launchEngine });
    await second.client.conversations.delete({ conversationId });
    await second.close();
    expect(Object.keys(storedIn(first.dataFolder))).toEqual([conversationId]);
    const third = await openTestApp({ dataFolder: first.dataFolder });
    await third.client.cache.get();
    await third.close();
    expect(storedIn(first.dataFolder)).toEqual({});
  });
});

describe("by hand", () => {
  test("what is stored is counted, removed, and counted again", async () => {
    const { client } = await openTestApp();
    await ask(client, "hello there");
    expect(await client.cache.verify()).toEqual({ blocks: 1, damaged: 0, failure: null });
    await client.cache.clear();
    expect(await client.cache.verify()).toMatchObject({ blocks: 0 });
  });

  test("a conversation is tested against computing it afresh, with its model loaded for it", async () => {
    const first = await openTestApp();
    const { conversationId } = await ask(first.client, "hello there");
    await first.close();
    const { client } = await openTestApp({ dataFolder: first.dataFolder });
    expect(await client.cache.selfTest({ conversationId })).toMatchObject({ tokens: 6, isSameChoice: true });
    expect((await client.status.get()).engine.state).toBe("ready");
  });

  test("there is nothing to test in an empty conversation", async () => {
    const { client, launched } = await openTestApp();
    const { id: conversationId } = await client.conversations.create({});
    expect(await client.cache.selfTest({ conversationId })).toMatchObject({ tokens: 0 });
    expect(launched).toHaveLength(0);
  });
});
