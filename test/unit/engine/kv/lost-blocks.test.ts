import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { BlockTables } from "../../../../src-main/engine/kv/block-tables.ts";
import { lostBlockLimit } from "../../../../src-main/engine/kv/lost-block-tables.ts";
import { LostBlocks, noteLostBlocks } from "../../../../src-main/engine/kv/lost-blocks.ts";
import { KvFile } from "../../../../src-main/engine/kv/kv-file.ts";
import {
  found,
  openTestBlockStore,
  putAll,
  sampleBlock,
  sampleChain,
  sampleFingerprint,
} from "../../../helpers/sample-blocks.ts";
import { temporaryFolder } from "../../../helpers/temporary-folder.ts";

const chain = sampleChain({ lengths: [256, 40] });
const tokens = chain.flatMap((block) => [...block.tokens]);
const longer = [...tokens, 7, 7, 7];

function reasonAt(lostBlocks: LostBlocks, position: number, prompt: readonly number[] = longer) {
  return lostBlocks.reasonAt(prompt, { fingerprint: sampleFingerprint, boundaryTokens: 0, position });
}

test("why a block was evicted is known after the file was opened again", () => {
  const { store, path } = openTestBlockStore();
  putAll(store, chain);
  store.setBudget(0);
  store[Symbol.dispose]();
  const { store: again } = openTestBlockStore({}, path);
  expect([0, 255, 256, 295].map((position) => reasonAt(again.lostBlocks, position))).toEqual(
    Array.from({ length: 4 }, () => "evicted"),
  );
  expect(reasonAt(again.lostBlocks, 296)).toBeNull();
  expect(reasonAt(again.lostBlocks, 256, [...tokens.slice(0, 290), 1, 2, 3])).toBeNull();
  expect(again.lostBlocks.hasForgotten).toBe(false);
});

test("stored again, it is lost no longer; also as the beginning of a longer one", () => {
  const { store } = openTestBlockStore();
  putAll(store, chain);
  store.setBudget(0);
  store.setBudget(1e9);
  putAll(store, sampleChain({ lengths: [256, 60] }));
  expect([0, 256].map((position) => reasonAt(store.lostBlocks, position))).toEqual([null, null]);
});

test("a block that found no room, and one that was damaged", () => {
  const { store, path } = openTestBlockStore();
  const [one, two] = chain;
  putAll(store, [one]);
  store.setBudget(100_000);
  expect(store.put({ ...two, payload: new Uint8Array(1e6) })).toMatchObject({ reason: "over-budget" });
  expect(reasonAt(store.lostBlocks, 256)).toBe("over-budget");
  const database = new Database(path);
  database.exec("UPDATE payload SET bytes = zeroblob(length(bytes))");
  database.close();
  expect(found(store, one)).toBe("damaged");
  expect(reasonAt(store.lostBlocks, 0)).toBe("store-damaged");
});

test("a deleted conversation leaves nothing behind", () => {
  const { store } = openTestBlockStore();
  putAll(store, chain);
  store.setBudget(0);
  store.removeConversation("chat");
  expect(reasonAt(store.lostBlocks, 0)).toBeNull();
});

test("it is bounded, and says when it has forgotten", () => {
  using file = new KvFile(join(temporaryFolder(), "kv.db"), Date.now, {
    onOpened: () => undefined,
    onLost: () => undefined,
  });
  const lostBlocks = new LostBlocks(file);
  const lost = (count: number, seed: number) =>
    Array.from({ length: count }, (_, index) => sampleBlock({ seed: seed + index, length: 1, payloadBytes: 1 }));
  const note = (blocks: ReturnType<typeof lost>) =>
    file.write((tables: BlockTables) => {
      noteLostBlocks(tables, blocks, "evicted");
    });
  note(lost(lostBlockLimit, 1));
  expect(lostBlocks.hasForgotten).toBe(false);
  note(lost(1, lostBlockLimit + 1));
  expect(lostBlocks.hasForgotten).toBe(true);
  const reasons = [1, 2, lostBlockLimit + 1].map((seed) => reasonAt(lostBlocks, 0, [seed * 100_000, 0]));
  expect(reasons).toEqual([null, "evicted", "evicted"]);
});
