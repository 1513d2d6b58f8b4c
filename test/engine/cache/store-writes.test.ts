/** What is written, where memory is, and what the cache's procedures do. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newId } from "../../../src-main/contract/id.ts";
import { CachedChat, cacheStateWhen, cheapRestore, inPlaceAfter, longText } from "../../helpers/cached-chat.ts";
import { engineInProcess, load, type Turn } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../../helpers/tiny-gguf.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });
/** Two layers, keys and values, two heads of 32, two bytes each. */
const rowBytes = 2 * 2 * 2 * 32 * 2;

async function loadStored(contextTokens = 2_048): Promise<string> {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId() });
  const cacheFolder = temporaryFolder();
  await load(client, path, { contextTokens, cacheFolder, store: { isEnabled: true, budgetBytes: 1e9 } });
  return join(cacheFolder, "kv.db");
}

/** When all but the tail of what is in place is written: leaving a conversation makes its own due. */
async function whenWritten() {
  return await cacheStateWhen(client, ({ store }) => store.pendingBytes <= elsewhereTokens * rowBytes);
}

/** More than the conversation in place has, and fewer than the tails of those that were left. */
const elsewhereTokens = 60;

const leave = () => new CachedChat(client, "elsewhere", { system: "elsewhere" }).send("hello");

describe("disk work", () => {
  test("grows with new tokens, not with the conversation", async () => {
    await loadStored(4_096);
    const chat = new CachedChat(client, "one", { maxTokens: 4 });
    const written: number[] = [];
    for (let round = 1; round <= 100; round += 1) {
      const { report } = await chat.send(`${round % 10} hello water`);
      written.push(report.memory.store?.writtenThisTurn ?? NaN);
    }
    // A block is written every few turns: those that wrote one are compared.
    expect(Math.max(...written.slice(75))).toBeLessThanOrEqual(1.2 * Math.max(...written.slice(2, 27)));
    expect(Math.max(...written.slice(75))).toBeGreaterThanOrEqual(256 * rowBytes);
  });

  test("a beginning that two chats share is stored once", async () => {
    await loadStored(4_096);
    const document = longText(2_000);
    await new CachedChat(client, "one").send(`${document} one`);
    await new CachedChat(client, "two").send(`${document} two`);
    await leave();
    const { store } = await whenWritten();
    expect(store.tokens).toBeLessThan(2_000 + 2 * 300 + 100);
    expect(store.sharedBlocks).toBeGreaterThanOrEqual(7);
    expect(store.savedBySharingBytes).toBeGreaterThan(1_700 * rowBytes);
    expect(store.usedBytes).toBeLessThan(1.3 * 2_700 * rowBytes);
  });

  test("a report tells what a conversation has in the store", async () => {
    await loadStored();
    const chat = new CachedChat(client, "one");
    const first = await chat.send(longText(600));
    await leave();
    await whenWritten();
    const { memory } = (await chat.send("and?")).report;
    expect(first.report.memory.store).toEqual({ conversation: 0, total: 0, writtenThisTurn: 0 });
    expect(memory.store?.conversation).toBe(inPlaceAfter(first) * rowBytes);
    expect(memory.store?.writtenThisTurn).toBe(inPlaceAfter(first) * (rowBytes + 4));
  });

  test("switched off, nothing is written", async () => {
    await loadStored();
    await client.cache.configure({ isEnabled: false, budgetBytes: null });
    await new CachedChat(client, "one").send(longText(600));
    await leave();
    const { store } = await cacheStateWhen(client);
    expect(store).toMatchObject({ isEnabled: false, blocks: 0, pendingBytes: 0 });
  });
});

describe("memory", () => {
  test("cells are accounted for by the formula, shared and parked ones apart", async () => {
    await loadStored();
    const chat = new CachedChat(client, "one");
    await chat.send(longText(300));
    const left = await chat.send("and?");
    chat.edit(3, "or?");
    const answered = await chat.answer();
    const { memory, context } = answered.report;
    const { cells, runs } = await cacheStateWhen(client);
    expect(memory.kvAllocated).toBe(2_048 * rowBytes);
    expect(cells).toMatchObject({ total: 2_048, active: inPlaceAfter(answered) });
    expect(cells?.parked).toBeGreaterThan(10);
    expect(cells?.parked).toBeLessThan(60);
    expect(memory.kvLive).toBe((context.usedTokens + (cells?.parked ?? 0)) * rowBytes);
    expect(memory.kvParked).toBe((cells?.parked ?? 0) * rowBytes);
    expect(memory.kvShared).toBe((cells?.shared ?? 0) * rowBytes);
    expect((cells?.shared ?? 0) + (cells?.parked ?? 0)).toBe(inPlaceAfter(left));
    expect(runs.map(({ holders }) => holders.map(({ role }) => role))).toEqual([
      ["active", "branch"],
      ["active"],
      ["branch"],
      [],
    ]);
    expect(runs.reduce((sum, run) => sum + run.cells, 0)).toBe(2_048);
  });

  test("an answer that needs the cells of a parked branch gets them", async () => {
    await loadStored(512);
    const chat = new CachedChat(client, "one", { maxTokens: 60 });
    await chat.send(longText(150));
    chat.edit(1, `${longText(150)} again`);
    await chat.answer();
    chat.messages = chat.messages.slice(0, 2);
    const long = new CachedChat(client, "one", { maxTokens: 600 });
    long.messages = chat.messages;
    const { report } = await long.answer();
    expect(report.stopReason).toBe("context-full");
    expect(report.context.usedTokens).toBe(512);
  });
});

describe("procedures of the cache", () => {
  test("the state says where conversations are", async () => {
    await loadStored();
    const chat = new CachedChat(client, "one");
    const left = await chat.send(longText(600));
    await leave();
    const { residency } = await whenWritten();
    expect(residency.find(({ conversationId }) => conversationId === "one")).toEqual({
      conversationId: "one",
      state: "stored",
      tokens: inPlaceAfter(left),
      storedBytes: inPlaceAfter(left) * rowBytes,
    });
    expect(residency.find(({ conversationId }) => conversationId === "elsewhere")?.state).toBe("in-place");
  });

  test("clear empties the file, and what is in place goes on", async () => {
    const kvPath = await loadStored();
    const chat = new CachedChat(client, "one");
    await chat.send(longText(600));
    await leave();
    await whenWritten();
    await client.cache.clear();
    const { store } = await cacheStateWhen(client);
    expect(store.blocks).toBe(0);
    expect(existsSync(kvPath)).toBe(true);
    expect((await chat.send("and?")).report).toMatchObject({ fromStore: 0, shortfall: { kind: "evicted" } });
  });

  test("forget takes a conversation out of the cells and the file", async () => {
    await loadStored();
    await new CachedChat(client, "one").send(longText(600));
    await client.cache.forget({ conversationId: "one" });
    const { residency, store, cells } = await cacheStateWhen(client);
    expect(residency).toEqual([]);
    expect([store.blocks, cells?.active]).toEqual([0, 0]);
  });

  test.each([
    ["stored by now", async (answer: Promise<unknown>) => await answer, inPlaceAfter],
    // Then somebody waits, and nothing is computed in advance.
    ["not stored yet", () => undefined, ({ report }: Turn) => report.context.usedTokens],
  ])(
    "what others went on from, %s, stays when a conversation is forgotten, and is theirs",
    async (_, whenDue, kept) => {
      await loadStored(4_096);
      const document = longText(600);
      const other = new CachedChat(client, "two");
      await new CachedChat(client, "one").send(`${document} one`);
      const answer = other.send(`${document} two`);
      if ((await whenDue(answer)) !== undefined) await leave();
      // Where it is asked for while the answer is written, it comes before anything of that is saved.
      const [before] = await Promise.all([answer, client.cache.forget({ conversationId: "one" })]);
      await leave();
      const { residency } = await whenWritten();
      expect(residency.map(({ conversationId }) => conversationId).sort()).toEqual(["elsewhere", "two"]);
      expect(residency.find(({ conversationId }) => conversationId === "two")).toMatchObject({
        tokens: kept(before),
        storedBytes: kept(before) * rowBytes,
      });
      const back = await other.regenerate();
      expect(back.text).toBe(before.text);
      expect(back.report.prefilled).toBe(1);
    },
  );

  test("verify reads every block", async () => {
    await loadStored();
    await new CachedChat(client, "one").send(longText(600));
    await leave();
    const { store } = await whenWritten();
    expect(await client.cache.verify()).toEqual({ blocks: store.blocks, damaged: 0, failure: null });
  });

  test("measure counts the tokens of a prompt", async () => {
    await loadStored();
    const chat = new CachedChat(client, "one");
    const measured = await client.measure({
      conversationId: "one",
      messages: [...chat.messages, message("user", "hello")],
    });
    const { report } = await chat.send("hello");
    expect(measured).toMatchObject({ promptTokens: report.promptTokens, contextTokens: 2_048, isFitting: true });
  });
});
