/** `reprise cache` as people run it: real processes, a real engine, a tiny model, a real kv.db. */
import { expect, test } from "vitest";
import type { CacheState } from "../../src-main/contract/cache.ts";
import { type CliAnswer, jsonFromCli, runCli, tinyModelAndData } from "../helpers/start-cli.ts";

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
  expect(store.tokens).toBe(report.context.usedTokens);
  expect(residency).toMatchObject([{ conversationId, state: "stored" }]);
  expect((await runCli(["cache"], { dataFolder })).output).toContain(`${store.tokens} tokens of 1 conversation`);

  const verified = await jsonFromCli(dataFolder, "cache", "verify");
  expect(verified).toEqual({ blocks: store.blocks, damaged: 0, failure: null });
  const cleared = await jsonFromCli(dataFolder, "cache", "clear");
  expect(cleared).toEqual({ blocks: store.blocks, bytes: store.usedBytes });
  expect((await stats()).store).toMatchObject({ blocks: 0, tokens: 0 });
});
