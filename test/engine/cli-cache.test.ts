/** `reprise cache` as people run it: real processes, a real engine, a tiny model, a real kv.db. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { CacheState } from "../../src-main/contract/cache.ts";
import { type CliAnswer, jsonFromCli, oneLineOfError, runCli, tinyModelAndData } from "../helpers/start-cli.ts";

test("what a chat left in the store is there for the next process, is sound, and can be removed", async () => {
  const { dataFolder, model } = await tinyModelAndData();
  const stats = () => jsonFromCli<CacheState>(dataFolder, "cache");
  const { conversationId, report } = await jsonFromCli<CliAnswer>(
    dataFolder,
    "chat",
    "--model",
    model,
    "--max-tokens",
    "12",
    "Hello",
  );
  const { cells, store, residency } = await stats();
  expect(cells).toBeNull();
  // And up to six of what comes behind it: the answer's last token, and what the template writes before a next message.
  expect(store.tokens).toBeGreaterThanOrEqual(report.context.usedTokens);
  expect(store.tokens).toBeLessThanOrEqual(report.context.usedTokens + 6);
  expect(residency).toMatchObject([{ conversationId, state: "stored" }]);
  expect((await runCli(["cache"], { dataFolder })).output).toContain(`${store.tokens} tokens of 1 conversation`);

  const verified = await jsonFromCli(dataFolder, "cache", "verify");
  expect(verified).toEqual({ blocks: store.blocks, damaged: 0, failure: null });
  const cleared = await jsonFromCli(dataFolder, "cache", "clear");
  expect(cleared).toEqual({ blocks: store.blocks, bytes: store.usedBytes });
  expect((await stats()).store).toMatchObject({ blocks: 0, tokens: 0 });
});

interface BlockRow {
  readonly conversationId: string;
  readonly tokens: Buffer;
}

function blocksIn(dataFolder: string): BlockRow[] {
  const database = new Database(join(dataFolder, "kv.db"), { readonly: true });
  const rows = database.prepare<[], BlockRow>("SELECT conversation_id AS conversationId, tokens FROM block").all();
  database.close();
  return rows;
}

test("what was deleted while nothing ran is in the file no more when the command ends", async () => {
  const { dataFolder, model } = await tinyModelAndData();
  const ask = async (text: string) =>
    await jsonFromCli<CliAnswer>(dataFolder, "chat", "--model", model, "--max-tokens", "4", text);
  const gone = await ask("water water house house memory memory cache cache");
  const kept = await ask("hello hello world world answer answer store store");
  const own = blocksIn(dataFolder).filter(({ conversationId }) => conversationId === gone.conversationId);
  const secrets = own.map(({ tokens }) => tokens.subarray(-32)).filter(({ length }) => length === 32);
  const isInFile = (tokens: Buffer) => readFileSync(join(dataFolder, "kv.db")).includes(tokens);
  expect(secrets.length).toBeGreaterThan(0);
  expect(secrets.every(isInFile)).toBe(true);

  await jsonFromCli(dataFolder, "delete", gone.conversationId);
  expect(secrets.some(isInFile)).toBe(false);
  expect(new Set(blocksIn(dataFolder).map(({ conversationId }) => conversationId))).toEqual(
    new Set([kept.conversationId]),
  );
  const { residency } = await jsonFromCli<CacheState>(dataFolder, "cache");
  expect(residency).toMatchObject([{ conversationId: kept.conversationId, state: "stored" }]);
});

describe("a cache file that is none", () => {
  test("is begun anew, and that is said", async () => {
    const { dataFolder } = await tinyModelAndData();
    await runCli(["list"], { dataFolder });
    const damage = () => {
      writeFileSync(join(dataFolder, "kv.db"), Buffer.alloc(100_000, 7));
    };
    damage();
    expect((await runCli(["cache"], { dataFolder })).output).toContain("The cache file was damaged, so a new one");
    damage();
    const { code, errors } = await runCli(["cache", "verify"], { dataFolder });
    expect(code).toBe(1);
    expect(errors).toMatch(oneLineOfError);
    expect(errors).toContain("damaged");
    expect((await runCli(["cache", "verify"], { dataFolder })).code).toBe(0);
  });

  test("of another program is left alone, and nothing is said to be removed from it", async () => {
    const { dataFolder } = await tinyModelAndData();
    await runCli(["list"], { dataFolder });
    const database = new Database(join(dataFolder, "kv.db"));
    database.exec("CREATE TABLE theirs (value)");
    database.close();
    const before = readFileSync(join(dataFolder, "kv.db"));
    for (const action of ["verify", "clear"]) {
      const { code, output, errors } = await runCli(["cache", action], { dataFolder });
      expect([code, output]).toEqual([1, ""]);
      expect(errors).toContain("belongs to another program");
    }
    expect(readFileSync(join(dataFolder, "kv.db"))).toEqual(before);
  });
});
