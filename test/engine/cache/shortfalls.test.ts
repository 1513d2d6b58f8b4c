/** What a report says of tokens that were computed again, each reason provoked on the real way. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { newId } from "../../../src-main/contract/id.ts";
import { CachedChat, cacheStateWhen, cheapRestore, longText, whenStored } from "../../helpers/cached-chat.ts";
import { cacheOptions, engineInProcess, load } from "../../helpers/engine-turns.ts";
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

async function loadStored(model: TinyModelOptions = {}, { budgetBytes = 1e9, isEnabled = true } = {}): Promise<Loaded> {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId(), ...model });
  const cacheFolder = temporaryFolder();
  const again = async () => {
    await load(client, path, { contextTokens: 2_048, cacheFolder, store: { isEnabled, budgetBytes } });
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
