/** A conversation restored from the store is held against the same steps computed afresh. */
import { join } from "node:path";
import { crc32 } from "node:zlib";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { newId } from "../../../src-main/contract/id.ts";
import {
  CachedChat,
  cacheStateWhen,
  cheapRestore,
  inPlaceAfter,
  longText,
  whenStored,
} from "../../helpers/cached-chat.ts";
import { cacheOptions, engineInProcess, load } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../../helpers/tiny-gguf.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });

const blockTokens = 256;
/** Two heads of 32, two bytes each. */
const rowBytes = 2 * 32 * 2;
/** Keys and values of two layers. */
const tensors = 4;

interface Stored {
  /** Ends everything, has the file changed, and loads the same again. */
  readonly restart: (change?: (database: Database.Database) => void) => Promise<void>;
}

async function loadStored(threads = { prefill: 1, decode: 1 }): Promise<Stored> {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId() });
  const cacheFolder = temporaryFolder();
  const tuning = { ...threads, measured: [] };
  const loadAgain = async () => {
    const store = { isEnabled: true, budgetBytes: 1e9 };
    await load(client, path, { contextTokens: 2_048, cacheFolder, tuning, store });
  };
  await loadAgain();
  return {
    restart: async (change = () => undefined) => {
      await client.unload();
      // Another folder: the file of the first is closed.
      await client.cache.open(cacheOptions());
      const database = new Database(join(cacheFolder, "kv.db"));
      change(database);
      database.close();
      await loadAgain();
    },
  };
}

const selfTest = ({ id, messages }: CachedChat) =>
  client.cache.selfTest({ conversationId: id, messages: [...messages, message("user", "and?")] });

const exact = { verdict: "same", isSameChoice: true, maxDifference: 0 };

/** Three turns, the first of more than two blocks. */
async function talk(id: string): Promise<CachedChat> {
  const chat = new CachedChat(client, id);
  for (const text of [longText(600, id), "and then?", "what else?"]) await chat.send(text);
  return chat;
}

describe("what was computed in known steps", () => {
  test("is computed again to the last bit, answers token by token", async () => {
    await loadStored();
    const result = await selfTest(await talk("one"));
    expect(result).toMatchObject({ ...exact, replayedTokens: result.tokens });
    expect(result.tokens).toBeGreaterThan(600);
  });

  test("is so after a restart too, and with more threads", async () => {
    const { restart } = await loadStored({ prefill: 2, decode: 2 });
    const chat = await talk("one");
    await restart();
    const result = await selfTest(chat);
    expect(result).toMatchObject({ ...exact, replayedTokens: result.tokens });
  });

  test("is so where a draft was typed, of which the end was taken back", async () => {
    await loadStored();
    const chat = new CachedChat(client, "one");
    await chat.send(longText(300));
    const draft = message("user", longText(150));
    await client.prepare({ conversationId: "one", messages: [...chat.messages, draft] });
    const { report } = await chat.send(`${longText(40)} water`);
    expect(report.preparedTokens).toBeGreaterThan(20);
    const result = await selfTest(chat);
    expect(result).toMatchObject({ ...exact, replayedTokens: result.tokens });
  });

  test("is so behind the beginning of a question that was edited", async () => {
    const { restart } = await loadStored();
    const chat = new CachedChat(client, "one");
    await chat.send(longText(360));
    await restart();
    chat.edit(1, `${longText(280)} water`);
    const { report } = await chat.answer();
    expect(report.fromStore + report.fromShared).toBeGreaterThan(256);
    const result = await selfTest(chat);
    expect(result).toMatchObject({ ...exact, replayedTokens: result.tokens });
  });

  test("is so where another conversation computed the beginning", async () => {
    await loadStored();
    const [first, second] = [new CachedChat(client, "one"), new CachedChat(client, "two")];
    const document = longText(600);
    await first.send(`${document} one`);
    await second.send(`${document} two`);
    const result = await selfTest(second);
    expect(result).toMatchObject({ ...exact, replayedTokens: result.tokens });
  });
});

test("beside a parked branch sums are rounded otherwise: how is not claimed to be known", async () => {
  await loadStored();
  const chat = new CachedChat(client, "one", { maxTokens: 40 });
  await chat.send(longText(600));
  await chat.send("and then?");
  chat.edit(3, "something else");
  await chat.answer();
  const result = await selfTest(chat);
  expect(result.replayedTokens).toBeGreaterThan(600);
  expect(result.replayedTokens).toBeLessThan(result.tokens);
  expect(["same", "near-tie", "rounded"]).toContain(result.verdict);
});

describe("what is not what computing gives", () => {
  /** Changes a block's bytes so that its checksum is right. */
  const rewrite = (database: Database.Database, id: unknown, payload: Buffer) => {
    database.prepare("UPDATE payload SET bytes = ? WHERE block_id = ?").run(payload, id);
    database.prepare("UPDATE block SET checksum = ? WHERE id = ?").run(crc32(payload), id);
  };
  const blocks = (database: Database.Database) =>
    database
      .prepare<[], { id: number; conversation: string; position: number; payload: Buffer }>(
        `SELECT id, conversation_id AS conversation, position, bytes AS payload
         FROM block JOIN payload ON block_id = id ORDER BY id`,
      )
      .all();

  test("one damaged row fails, though its checksum is right", async () => {
    const { restart } = await loadStored();
    const chat = await talk("one");
    await restart((database) => {
      const block = blocks(database).find(({ position }) => position > 0);
      const payload = Buffer.from(block?.payload ?? []);
      // The signs and sizes of all keys and values of one token.
      for (let tensor = 0; tensor < tensors; tensor += 1) {
        const row = payload.subarray((tensor * blockTokens + 100) * rowBytes).subarray(0, rowBytes);
        row.forEach((byte, index) => (row[index] = index % 2 === 1 ? byte ^ 0x84 : byte));
      }
      rewrite(database, block?.id, payload);
    });
    expect(await client.cache.verify()).toMatchObject({ damaged: 0 });
    const result = await selfTest(chat);
    expect(result).toMatchObject({ verdict: "different", replayedTokens: result.tokens });
  });

  test("another conversation's rows fail", async () => {
    const { restart } = await loadStored();
    const [one] = [await talk("one"), await talk("two")];
    await restart((database) => {
      const of = (id: string) =>
        blocks(database).find(({ conversation, position }) => conversation === id && position > 0);
      rewrite(database, of("one")?.id, of("two")?.payload ?? Buffer.alloc(0));
    });
    expect(await client.cache.verify()).toMatchObject({ damaged: 0 });
    const result = await selfTest(one);
    expect(result).toMatchObject({ verdict: "different", replayedTokens: result.tokens });
  });
});

describe("the test itself", () => {
  test("changes nothing that is stored, and leaves the conversation in place", async () => {
    await loadStored();
    const [chat, reference] = [new CachedChat(client, "one"), new CachedChat(client, "two", { system: "be brief" })];
    const left = await chat.send(longText(600));
    await reference.send("hello");
    const { store: before } = await whenStored(client, inPlaceAfter(left));
    expect(await selfTest(chat)).toMatchObject(exact);
    const { store, residency } = await cacheStateWhen(client);
    expect([store.blocks, store.tokens]).toEqual([before.blocks, before.tokens]);
    expect(residency.find(({ conversationId }) => conversationId === "one")?.state).toBe("in-place");
    const next = await chat.send("and then?");
    expect(next.report).toMatchObject({ fromResident: inPlaceAfter(left), fromStore: 0 });
  });

  test("gives way to an answer, and leaves the conversation in place", async () => {
    await loadStored();
    const chat = new CachedChat(client, "one");
    const left = await chat.send(longText(600));
    const testing = selfTest(chat);
    const [tested, answered] = await Promise.allSettled([testing, chat.send("and then?")]);
    expect(tested).toMatchObject({
      status: "rejected",
      reason: { code: "ENGINE_FAILED", data: { reason: "an answer came first" } },
    });
    expect(answered).toMatchObject({
      value: { report: { fromResident: inPlaceAfter(left), fromStore: 0 } },
    });
    expect(await selfTest(chat)).toMatchObject(exact);
  });

  test("says that nothing is stored", async () => {
    await loadStored();
    const messages = [message("user", "hello")];
    expect(await client.cache.selfTest({ conversationId: "one", messages })).toMatchObject({
      tokens: 0,
      verdict: "nothing-stored",
      maxDifference: null,
    });
  });
});
