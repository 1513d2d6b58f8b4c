/** What a report says of tokens that were computed again, each reason provoked on the real way. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { newId } from "../../../src-main/contract/id.ts";
import { CachedChat, cacheStateWhen, cheapRestore, longText, whenStored } from "../../helpers/cached-chat.ts";
import { cacheOptions, engineInProcess, load } from "../../helpers/engine-turns.ts";
import { smallDisk } from "../../helpers/small-disk.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "../../helpers/tiny-gguf.ts";

/** Of tests: what it is now. */
const costs = { ...cheapRestore };
const client = engineInProcess({
  fixedCosts: {
    get prefill() {
      return costs.prefill;
    },
    get restore() {
      return costs.restore;
    },
  },
});

interface Loaded {
  readonly path: string;
  readonly kvPath: string;
  readonly again: () => Promise<void>;
}

interface StoredOptions {
  readonly budgetBytes?: number;
  readonly isEnabled?: boolean;
  readonly contextTokens?: number;
  readonly cacheFolder?: string;
}

async function loadStored(model: TinyModelOptions = {}, options: StoredOptions = {}): Promise<Loaded> {
  const { budgetBytes = 1e9, isEnabled = true, contextTokens = 2_048, cacheFolder = temporaryFolder() } = options;
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId(), ...model });
  const again = async () => {
    await load(client, path, { contextTokens, cacheFolder, store: { isEnabled, budgetBytes } });
  };
  await again();
  return { path, kvPath: join(cacheFolder, "kv.db"), again };
}

/** Something else in the cells, so that a conversation has to come from the store. */
async function displace(): Promise<void> {
  await new CachedChat(client, "other", { system: "something else entirely" }).send(longText(300, "water"));
}

const text = longText(900);
/** Of the tiny model: two layers, keys and values, two heads of 32, two bytes each. */
const rowBytes = 2 * 2 * 2 * 32 * 2;

/** Closes the file, does something to it, and opens it again. */
async function whileClosed({ again, kvPath }: Loaded, work: (kvPath: string) => void): Promise<void> {
  await client.unload();
  await client.cache.open(cacheOptions());
  work(kvPath);
  await again();
}

function change(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

describe("a fault of the store costs time, and never a wrong answer", () => {
  test("a flipped bit in a block", async () => {
    const loaded = await loadStored();
    const chat = new CachedChat(client, newId());
    const expected = await chat.send(text);
    await whileClosed(loaded, (path) => {
      const database = new Database(path);
      const row = database.prepare("SELECT block_id, bytes FROM payload ORDER BY block_id LIMIT 1 OFFSET 1").get() as {
        block_id: number;
        bytes: Buffer;
      };
      row.bytes[1_000] = (row.bytes[1_000] ?? 0) ^ 4;
      database.prepare("UPDATE payload SET bytes = ? WHERE block_id = ?").run(row.bytes, row.block_id);
      database.close();
    });
    const again = await chat.regenerate();
    expect(again.text).toBe(expected.text);
    expect(again.report.shortfall?.kind).toBe("store-damaged");
    expect(again.report.fromStore).toBeGreaterThan(0);
    expect(again.report.promptTokens).toBe(again.report.fromStore + again.report.prefilled);
    expect(again.report.shortfall?.tokens).toBe(again.report.prefilled - 1);
    expect(again.report.shortfall?.lostMs).toBeGreaterThan(0);
  });

  test("kv.db deleted while it is open", async () => {
    const { kvPath } = await loadStored();
    const chat = new CachedChat(client, newId());
    const expected = await chat.send(text);
    await displace();
    await whenStored(client, 900);
    rmSync(kvPath);
    const again = await chat.regenerate();
    expect(again.text).toBe(expected.text);
    const { store } = await cacheStateWhen(client);
    expect(store.failure).toBeNull();
  });

  test("a file that is no database any more", async () => {
    const loaded = await loadStored();
    const chat = new CachedChat(client, newId());
    const expected = await chat.send(text);
    await whileClosed(loaded, (path) => {
      const bytes = readFileSync(path);
      bytes.fill(7, 0, 100_000);
      writeFileSync(path, bytes);
    });
    const again = await chat.regenerate();
    expect(again.text).toBe(expected.text);
    expect(again.report.fromStore).toBe(0);
  });

  test("another model under the same name", async () => {
    const loaded = await loadStored();
    const chat = new CachedChat(client, newId());
    await chat.send(text);
    await client.unload();
    await writeTinyGguf(loaded.path, { seed: 5 });
    await loaded.again();
    const other = await chat.regenerate();
    expect(other.report).toMatchObject({ fromStore: 0, fromResident: 0, divergence: { kind: "model-switched" } });
    await loadStored({ seed: 5, name: "Reference" });
    expect((await chat.regenerate()).text).toBe(other.text);
  });
});

describe("why tokens were computed again", () => {
  test("evicted: the budget was lowered", async () => {
    await loadStored();
    const chat = new CachedChat(client, newId());
    const left = await chat.send(text);
    await displace();
    await whenStored(client, 900);
    await client.cache.configure({ isEnabled: true, budgetBytes: 0 });
    const back = await chat.send("and?");
    expect(back.report.shortfall).toMatchObject({ kind: "evicted", reason: null });
    expect(back.report.shortfall?.tokens).toBeGreaterThan(left.report.context.usedTokens - 300);
    const { evictions, shortfalls } = await cacheStateWhen(client, (state) => (state.shortfalls["evicted"] ?? 0) > 0);
    expect(evictions[0]).toMatchObject({ savedConversationId: null });
    expect(shortfalls["evicted"]).toBe(back.report.shortfall?.tokens);
  });

  test("evicted: the store is switched off", async () => {
    await loadStored({}, { isEnabled: false });
    const chat = new CachedChat(client, newId());
    await chat.send(text);
    await displace();
    const back = await chat.send("and?");
    expect(back.report.shortfall).toMatchObject({ kind: "evicted" });
    expect(back.report.fromStore).toBe(0);
  });

  test("never-stored: there is no room in the budget", async () => {
    await loadStored({}, { budgetBytes: 1 });
    const chat = new CachedChat(client, newId());
    await chat.send(text);
    await displace();
    await cacheStateWhen(client, ({ store }) => store.pendingBytes < 256 * rowBytes);
    const back = await chat.send("and?");
    expect(back.report.shortfall).toMatchObject({ kind: "never-stored", reason: "over-budget" });
  });

  test("evicted: the store was switched off with the conversation in it", async () => {
    await loadStored();
    const chat = new CachedChat(client, newId());
    await chat.send(text);
    await displace();
    await whenStored(client, 900);
    await client.cache.configure({ isEnabled: false, budgetBytes: null });
    const back = await chat.send("and?");
    expect(back.report).toMatchObject({ fromStore: 0, shortfall: { kind: "evicted", reason: null } });
    expect(back.report.shortfall?.tokens).toBeGreaterThan(900);
  });

  test("evicted: an answer took the cells of a parked branch, and there was no store", async () => {
    await loadStored({}, { isEnabled: false, contextTokens: 512 });
    const chat = new CachedChat(client, newId(), { maxTokens: 600 });
    const parked = new CachedChat(client, chat.id, { maxTokens: 60 });
    await parked.send(longText(150));
    await chat.send(`${longText(150)} again`);
    const back = await parked.send("and?");
    expect(back.report.shortfall).toMatchObject({ kind: "evicted", reason: null });
  });

  test("never-stored: too short to be worth it", async () => {
    await loadStored({ chatTemplate: "{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}" });
    const chat = new CachedChat(client, newId(), { system: "", maxTokens: 1 });
    const left = await chat.send("hello water");
    expect(left.report.context.usedTokens).toBeLessThan(8);
    await displace();
    chat.messages = chat.messages.slice(0, 1);
    const { shortfall, fromStore, prefilled } = (await chat.answer()).report;
    expect(shortfall).toMatchObject({ kind: "never-stored", reason: "too-short", tokens: prefilled - 1 });
    expect(fromStore).toBe(0);
    expect(prefilled).toBeGreaterThan(1);
  });

  test("never-stored: the disk is full", async (context) => {
    const disk = smallDisk(4);
    if (disk === null) {
      context.skip("this process may not mount a small disk");
      return;
    }
    await loadStored({}, { cacheFolder: disk.folder });
    disk.fill();
    const chat = new CachedChat(client, newId());
    const expected = await chat.send(text);
    await displace();
    await cacheStateWhen(client, ({ store }) => store.pendingBytes < 256 * rowBytes);
    const back = await chat.regenerate();
    expect(back.text).toBe(expected.text);
    expect(back.report.shortfall).toMatchObject({ kind: "never-stored", reason: "disk" });
    await client.unload();
    await client.cache.open(cacheOptions());
  });

  test.each([
    ["the store was cleared", () => client.cache.clear()],
    ["the store was switched off", () => client.cache.configure({ isEnabled: false, budgetBytes: null })],
  ])("never-stored: %s before what waited was written", async (_, giveUp) => {
    await loadStored();
    const chat = new CachedChat(client, newId(), { system: "" });
    const expected = await chat.send(longText(100));
    // While something is computed nothing is written: the conversation waits, in memory.
    const other = new CachedChat(client, "other", { system: "" });
    let isFirst = true;
    await other.send(longText(100, "water"), async () => {
      if (isFirst) await giveUp();
      isFirst = false;
    });
    const back = await chat.regenerate();
    expect(back.text).toBe(expected.text);
    expect(back.report.shortfall).toMatchObject({ kind: "never-stored", reason: "cancelled" });
    expect(back.report.shortfall?.tokens).toBeGreaterThan(90);
  });

  test("never-stored: a branch made way before anybody had time to save it", async () => {
    await loadStored();
    const chat = new CachedChat(client, newId());
    const branch = new CachedChat(client, chat.id);
    const beginning = longText(300);
    // All three wait for the engine at once: nothing is saved between them but what makes way for the last.
    const [left] = await Promise.all([
      chat.send(`${beginning} ${longText(60, "water")}`),
      branch.send(`${beginning} ${longText(60, "house")}`),
      displace(),
    ]);
    const back = await chat.regenerate();
    expect(back.text).toBe(left.text);
    expect(back.report.shortfall).toMatchObject({ kind: "never-stored", reason: "cancelled" });
    expect(back.report.fromStore).toBeGreaterThan(290);
  });

  test("boundary: the tail was to be written late, and the process was killed before", async () => {
    const loaded = await loadStored();
    const chat = new CachedChat(client, newId());
    const { report } = await chat.send(text);
    await whenStored(client, 768);
    const asKilled = join(temporaryFolder(), "kv.db");
    copyFileSync(loaded.kvPath, asKilled);
    await whileClosed(loaded, (path) => {
      copyFileSync(asKilled, path);
    });
    const back = await chat.regenerate();
    expect(back.report.shortfall).toMatchObject({ kind: "boundary", reason: null });
    expect(back.report.fromStore + back.report.prefilled).toBe(report.promptTokens);
    expect(back.report.shortfall?.tokens).toBe(back.report.prefilled - 1);
    expect(back.report.shortfall?.tokens).toBeLessThan(256);
  });

  test("slower-than-computing: it is stored, and left there", async () => {
    await loadStored();
    const chat = new CachedChat(client, newId());
    const expected = await chat.send(text);
    await displace();
    costs.restore = { fixedMs: 1e6, msPerToken: 0 };
    const back = await chat.regenerate();
    costs.restore = cheapRestore.restore;
    expect(back.text).toBe(expected.text);
    expect(back.report).toMatchObject({ fromStore: 0, shortfall: { kind: "slower-than-computing" } });
  });

  test("store-stale: it was stored under other settings", async () => {
    const loaded = await loadStored();
    const chat = new CachedChat(client, newId());
    await chat.send(text);
    await client.unload();
    process.env["LLAMA_ATTN_ROT_DISABLE"] = "1";
    try {
      await loaded.again();
      const back = await chat.send("and?");
      expect(back.report).toMatchObject({
        fromStore: 0,
        divergence: { kind: "settings-changed" },
        shortfall: { kind: "store-stale" },
      });
    } finally {
      delete process.env["LLAMA_ATTN_ROT_DISABLE"];
    }
  });

  test("not-resumable: a window has dropped what an earlier message would need", async () => {
    await loadStored({ variant: "sliding-window", windowTokens: 32 });
    const chat = new CachedChat(client, newId());
    await chat.send(`${text} yes`);
    chat.edit(1, `${longText(300)} no`);
    const back = await chat.answer();
    expect(back.report.shortfall).toMatchObject({ kind: "not-resumable" });
    expect(back.report.fromResident).toBe(0);
  });

  test("unknown: somebody emptied the file by other means", async () => {
    const loaded = await loadStored();
    const chat = new CachedChat(client, newId());
    await chat.send(text);
    await whileClosed(loaded, (path) => {
      change(path, "DELETE FROM block; DELETE FROM payload");
    });
    const back = await chat.send("and?");
    expect(back.report.shortfall).toMatchObject({ kind: "unknown" });
  });
});
