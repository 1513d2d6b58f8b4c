import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { diskBytes, type NewBlock } from "../../../../src-main/engine/kv/stored-block.ts";
import { sampleParts } from "../../../helpers/fingerprint-parts.ts";
import {
  found,
  openTestBlockStore,
  putAll,
  sampleBlock,
  sampleChain,
  sampleFingerprint,
  sampleSnapshot,
} from "../../../helpers/sample-blocks.ts";
import { smallLayout } from "../../../helpers/state-file-bytes.ts";

const hourMs = 3_600_000;
const keysOf = (blocks: Iterable<{ readonly key: string }>) => Array.from(blocks, ({ key }) => key);

describe("a stored block", () => {
  test("is found again, to the last byte", () => {
    const { store } = openTestBlockStore();
    const block = sampleBlock({ payloadBytes: 300_000 });
    expect(store.put(block)).toMatchObject({ kind: "stored", block: { key: block.key, payloadBytes: 300_000 } });
    expect(found(store, block)).toBe("whole");
  });

  test("is found again after a restart, with its tokens and all that describes it", () => {
    const { store, path } = openTestBlockStore();
    const chain = sampleChain({ lengths: [256, 256, 40], conversationId: "one", turnId: "two" });
    putAll(store, chain);
    const before = [...store.blocks.values()];
    store[Symbol.dispose]();
    const again = openTestBlockStore({}, path).store;
    expect([...again.blocks.values()]).toEqual(before);
    expect(before[2]).toMatchObject({ from: 512, conversationId: "one", turnId: "two", kind: "rows" });
    for (const block of chain) expect(found(again, block)).toBe("whole");
  });

  test("is listed with those that stand on it", () => {
    const { store } = openTestBlockStore();
    const [system, one] = sampleChain({ lengths: [8, 8] });
    const [other] = sampleChain({ lengths: [5], seed: 1, behind: [system] });
    putAll(store, [system, one, other]);
    expect(keysOf(store.childrenOf(system.key))).toEqual([one.key, other.key]);
    expect(keysOf(store.childrenOf(sampleFingerprint))).toEqual([system.key]);
    expect(store.childrenOf(one.key)).toEqual([]);
  });

  test("is stored once, however often it is put", () => {
    const { store } = openTestBlockStore();
    const block = sampleBlock();
    putAll(store, [block]);
    const { writtenBytes } = store.figures;
    expect(store.put(block)).toMatchObject({ kind: "present", isSame: true });
    expect(store.put({ ...block, payload: new Uint8Array(1_000) })).toMatchObject({ kind: "present", isSame: false });
    expect(store.figures).toMatchObject({ blockCount: 1, writtenBytes });
    expect(found(store, block)).toBe("whole");
  });

  test("is missing when it was never put", () => {
    expect(openTestBlockStore().store.get("00".repeat(32))).toEqual({ kind: "missing" });
  });

  test("can stand on nothing but a block that ends where it begins", () => {
    const { store } = openTestBlockStore();
    const [one, two] = sampleChain({ lengths: [8, 8] });
    expect(store.put(two)).toMatchObject({ kind: "failed", reason: "orphan" });
    putAll(store, [one]);
    expect(store.put({ ...two, from: 7 })).toMatchObject({ kind: "failed", reason: "orphan" });
    expect(store.put({ ...two, fingerprint: "cd".repeat(32) })).toMatchObject({ kind: "failed", reason: "orphan" });
    expect(keysOf(store.blocks.values())).toEqual([one.key]);
  });
});

describe("a short block", () => {
  test("goes when a longer one with its tokens comes, since nothing stands on it", () => {
    const { store, removals } = openTestBlockStore();
    const [full, tail] = sampleChain({ lengths: [16, 4] });
    const [longer] = sampleChain({ lengths: [12], behind: [full] });
    putAll(store, [full, tail, longer]);
    expect(keysOf(store.blocks.values())).toEqual([full.key, longer.key]);
    expect(removals).toMatchObject([{ cause: "superseded", blocks: [{ key: tail.key }] }]);
    expect(store.figures.usedBytes).toBe(2 * diskBytes(1_000));
  });

  test("stays where something stands on it: the end of a system prompt", () => {
    const { store } = openTestBlockStore();
    const [system, chat] = sampleChain({ lengths: [4, 8] });
    const longer = sampleBlock({ length: 10 });
    putAll(store, [system, chat, longer]);
    expect(store.blocks.size).toBe(3);
  });

  test("stays where the longer one has other tokens", () => {
    const { store } = openTestBlockStore();
    putAll(store, [sampleBlock({ length: 4 }), sampleBlock({ length: 8, seed: 1 })]);
    expect(store.blocks.size).toBe(2);
  });
});

describe("a snapshot", () => {
  test("holds a whole state under all its tokens, beside blocks of the same tokens", () => {
    const { store, path } = openTestBlockStore();
    const snapshots = [sampleSnapshot(30), sampleSnapshot(50)];
    putAll(store, [sampleBlock({ length: 30 }), ...snapshots]);
    store[Symbol.dispose]();
    const again = openTestBlockStore({}, path).store;
    expect(again.blocks.size).toBe(3);
    for (const snapshot of snapshots) expect(found(again, snapshot)).toBe("whole");
  });

  test("carries no blocks", () => {
    const { store } = openTestBlockStore();
    const snapshot = sampleSnapshot(30);
    putAll(store, [snapshot]);
    const [block] = sampleChain({ lengths: [8], behind: [snapshot] });
    expect(store.put(block)).toMatchObject({ kind: "failed", reason: "orphan" });
  });
});

describe("the budget", () => {
  const oneBlock = diskBytes(1_000);

  test("makes room for what is new, at the cost of what is used least", () => {
    const { store, removals } = openTestBlockStore({ budgetBytes: 3 * oneBlock });
    const [one, two, three] = [sampleBlock({ seed: 1 }), sampleBlock({ seed: 2 }), sampleBlock({ seed: 3 })];
    putAll(store, [one, two, three]);
    store.touch([one.key, three.key]);
    putAll(store, [sampleBlock({ seed: 4 })]);
    expect(removals).toMatchObject([{ cause: "evicted", blocks: [{ key: two.key }] }]);
    expect(store.figures).toMatchObject({ usedBytes: 3 * oneBlock, blockCount: 3 });
  });

  test("never takes what the new block stands on", () => {
    const { store } = openTestBlockStore({ budgetBytes: 3 * oneBlock });
    const chain = sampleChain({ lengths: [8, 8, 8] });
    putAll(store, chain);
    const [next] = sampleChain({ lengths: [8], behind: chain });
    expect(store.put(next)).toMatchObject({ kind: "failed", reason: "over-budget" });
    expect(keysOf(store.blocks.values())).toEqual(keysOf(chain));
  });

  test("is not exceeded by a block that takes more than the shorter one it replaces", () => {
    const { store } = openTestBlockStore({ budgetBytes: 3 * oneBlock, now: () => 0 });
    const [full, tail] = sampleChain({ lengths: [16, 4] });
    const [longer] = sampleChain({ lengths: [8], behind: [full], payloadBytes: 100_000 });
    putAll(store, [sampleBlock({ seed: 1 }), full, tail, longer]);
    expect([...store.blocks.keys()]).toEqual([full.key, longer.key]);
    expect(store.figures.usedBytes).toBe(3 * oneBlock);
  });

  test("takes pinned conversations last", () => {
    const { store } = openTestBlockStore({ budgetBytes: 2 * oneBlock });
    const pinned = sampleBlock({ seed: 1, conversationId: "pinned" });
    const busy = sampleBlock({ seed: 2, conversationId: "busy" });
    putAll(store, [pinned, busy]);
    store.touch([busy.key, busy.key, busy.key]);
    store.pin(["pinned"]);
    putAll(store, [sampleBlock({ seed: 3 })]);
    expect(store.blocks.has(pinned.key)).toBe(true);
    expect(store.blocks.has(busy.key)).toBe(false);
  });

  test("can be lowered: the newest block goes last, little as it was used", () => {
    const { store, removals } = openTestBlockStore();
    const [one, two, newest] = [sampleBlock({ seed: 1 }), sampleBlock({ seed: 2 }), sampleBlock({ seed: 3 })];
    putAll(store, [one, two, newest]);
    store.touch([one.key, two.key]);
    store.setBudget(oneBlock);
    expect([...store.blocks.keys()]).toEqual([newest.key]);
    expect(removals.map(({ cause }) => cause)).toEqual(["evicted"]);
    store.setBudget(0);
    expect(store.blocks.size).toBe(0);
  });

  test("holds for what is found at a start", () => {
    const { store, path } = openTestBlockStore();
    putAll(store, sampleChain({ lengths: [8, 8, 8] }));
    store[Symbol.dispose]();
    const { store: again } = openTestBlockStore({ budgetBytes: 2 * oneBlock }, path);
    expect([...again.blocks.values()].map(({ from }) => from)).toEqual([0, 8]);
  });

  test("is by default no more than 8 GB and a tenth of the free disk", () => {
    const { budgetBytes } = openTestBlockStore({ budgetBytes: null }).store.figures;
    expect(budgetBytes).toBeGreaterThan(0);
    expect(budgetBytes).toBeLessThanOrEqual(8e9);
  });

  test("counts uses less the longer ago they were, also over a restart", () => {
    let nowMs = 0;
    const options = { budgetBytes: 2 * oneBlock, now: () => nowMs };
    const { store, path } = openTestBlockStore(options);
    const often = sampleBlock({ seed: 1 });
    putAll(store, [often]);
    store.touch([often.key, often.key]);
    nowMs = 72 * hourMs;
    const lately = sampleBlock({ seed: 2 });
    putAll(store, [lately]);
    store[Symbol.dispose]();
    const { store: again } = openTestBlockStore(options, path);
    expect(again.blocks.get(often.key)?.use).toEqual({ score: 3, atMs: 0 });
    putAll(again, [sampleBlock({ seed: 3 })]);
    expect(again.blocks.has(often.key)).toBe(false);
    expect(again.blocks.has(lately.key)).toBe(true);
  });
});

test("the log tells which save evicted what, after a restart too, and is bounded", () => {
  let nowMs = 1_000;
  const options = { budgetBytes: diskBytes(1_000), now: () => nowMs };
  const { store, path } = openTestBlockStore(options);
  putAll(store, [sampleBlock({ seed: 1, conversationId: "old", turnId: "first" })]);
  nowMs = 2_000;
  putAll(store, [sampleBlock({ seed: 2, conversationId: "new", turnId: "second" })]);
  store[Symbol.dispose]();
  const { store: again } = openTestBlockStore(options, path);
  expect(again.evictions()).toEqual([
    {
      atMs: 2_000,
      savedConversationId: "new",
      savedTurnId: "second",
      conversationId: "old",
      turnId: "first",
      fingerprint: sampleFingerprint,
      from: 0,
      tokenCount: 8,
      diskBytes: diskBytes(1_000),
    },
  ]);
  for (let seed = 3; seed < 520; seed += 1) putAll(again, [sampleBlock({ seed })]);
  expect(again.evictions()).toHaveLength(500);
});

describe("removing", () => {
  test("a block removes all that stand on it", () => {
    const { store, removals } = openTestBlockStore();
    const [one, two, three] = sampleChain({ lengths: [8, 8, 8] });
    putAll(store, [one, two, three]);
    store.remove([two.key]);
    expect(keysOf(store.blocks.values())).toEqual([one.key]);
    expect(removals).toMatchObject([{ cause: "deleted", blocks: [{ key: two.key }, { key: three.key }] }]);
  });

  test("a conversation leaves what others went on from", () => {
    const { store, path } = openTestBlockStore();
    const [shared, own] = sampleChain({ lengths: [8, 8], conversationId: "one" });
    const [other] = sampleChain({ lengths: [8], seed: 1, behind: [shared], conversationId: "two" });
    putAll(store, [shared, own, other]);
    expect(store.removeConversation("one")).toMatchObject([{ key: shared.key, conversationId: "two" }]);
    expect(keysOf(store.blocks.values())).toEqual([shared.key, other.key]);
    store[Symbol.dispose]();
    const rows = new Database(path, { readonly: true });
    expect(rows.prepare("SELECT count(*) FROM payload").pluck().get()).toBe(2);
    rows.close();
    const again = openTestBlockStore({}, path).store;
    expect(Array.from(again.blocks.values(), ({ conversationId }) => conversationId)).toEqual(["two", "two"]);
    expect(found(again, shared)).toBe("whole");
  });

  test("a conversation is not named any more as one that was evicted, or that needed the room", () => {
    const { store } = openTestBlockStore({ budgetBytes: 2 * diskBytes(1_000) });
    for (const seed of [1, 2, 3, 4]) putAll(store, [sampleBlock({ seed, conversationId: `c${seed}` })]);
    expect(store.evictions()).toMatchObject([
      { conversationId: "c2", savedConversationId: "c4" },
      { conversationId: "c1", savedConversationId: "c3" },
    ]);
    store.removeConversation("c1");
    store.removeConversation("c4");
    expect(store.evictions()).toEqual([]);
  });

  test("a conversation's tokens are nowhere in the file, however often rows were moved and removed before", () => {
    const { store, path } = openTestBlockStore();
    const lengths = new Map(Array.from({ length: 60 }, (_, seed) => [seed, 0]));
    const gone: number[] = [];
    let state = 12_345;
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % below;
    };
    const wholes = new Map<number, NewBlock[]>();
    const grow = (seed: number) => {
      const behind = wholes.get(seed) ?? [];
      const length = (lengths.get(seed) ?? 0) + 10 + random(150);
      lengths.set(seed, length);
      const left = length - behind.length * 256;
      const options = { seed, behind, payloadBytes: 100, conversationId: `c${seed}` };
      const next = sampleChain({ ...options, lengths: left > 256 ? [256, left - 256] : [left] });
      for (const block of next) store.put(block);
      wholes.set(seed, [...behind, ...next.filter(({ tokens }) => tokens.length === 256)]);
    };
    for (let round = 0; round < 30; round += 1) {
      const alive = [...lengths.keys()].filter((seed) => !gone.includes(seed));
      for (let step = 0; step < 100; step += 1) grow(alive[random(alive.length)] ?? 0);
      const leaving = alive[random(alive.length)] ?? 0;
      store.removeConversation(`c${leaving}`);
      gone.push(leaving);
    }
    const bytes = readFileSync(path);
    const isThere = (seed: number) =>
      Array.from({ length: Math.floor((lengths.get(seed) ?? 0) / 32) }, (_, index) => index * 32).some((from) =>
        bytes.includes(
          Buffer.from(Uint32Array.from({ length: 8 }, (_, index) => seed * 100_000 + from + index).buffer),
        ),
      );
    expect([...lengths.keys()].filter(isThere)).toEqual([...lengths.keys()].filter((seed) => !gone.includes(seed)));
    expect(statSync(path).size).toBeLessThan(2 * store.figures.usedBytes);
  });

  test("everything gives the room back to the disk at once", () => {
    const { store, path, removals } = openTestBlockStore();
    putAll(store, sampleChain({ lengths: [8, 8], payloadBytes: 2_000_000 }));
    store.clear();
    expect(store.blocks.size).toBe(0);
    expect(removals).toMatchObject([{ cause: "cleared", blocks: [{ from: 0 }, { from: 8 }] }]);
    expect(statSync(path).size).toBeLessThan(1_000_000);
    putAll(store, [sampleBlock()]);
  });
});

test("a store that was closed stores and finds nothing, and leaves its file alone", () => {
  const { store, path } = openTestBlockStore();
  const block = sampleBlock();
  putAll(store, [block]);
  store[Symbol.dispose]();
  rmSync(path);
  expect(store.put(sampleBlock({ seed: 1 }))).toMatchObject({ kind: "failed" });
  expect(store.get(block.key)).toMatchObject({ kind: "failed" });
  expect(existsSync(path)).toBe(false);
});

test("room of removed blocks is given back in small steps", () => {
  const { store, path } = openTestBlockStore({ budgetBytes: 20_000_000 });
  const blocks = [1, 2, 3, 4].map((seed) => sampleBlock({ seed, payloadBytes: 4_000_000 }));
  putAll(store, blocks);
  expect(store.vacuumStep()).toBe(false);
  store.setBudget(5_000_000);
  const before = statSync(path).size;
  expect(store.vacuumStep()).toBe(true);
  const after = statSync(path).size;
  expect(before - after).toBeGreaterThan(3_000_000);
  expect(before - after).toBeLessThan(5_000_000);
  while (store.vacuumStep());
  expect(statSync(path).size).toBeLessThan(6_000_000);
});

describe("the figures", () => {
  test("count every byte that is written, over restarts", () => {
    const { store, path } = openTestBlockStore();
    putAll(store, sampleChain({ lengths: [256, 10], payloadBytes: 5_000 }));
    const writtenBytes = 2 * 5_000 + 266 * 4;
    expect(store.figures).toMatchObject({ writtenBytes, tokenCount: 266, blockCount: 2, failure: null });
    store[Symbol.dispose]();
    expect(openTestBlockStore({}, path).store.figures.writtenBytes).toBe(writtenBytes);
  });

  test("say what the file takes", () => {
    const { store, path } = openTestBlockStore();
    putAll(store, [sampleBlock({ payloadBytes: 700_000 })]);
    expect(store.figures.fileBytes).toBe(statSync(path).size);
    expect(store.figures.usedBytes).toBeGreaterThanOrEqual(700_000);
  });
});

describe("what a fingerprint stands for", () => {
  test("is known after a restart, with the layout of its blocks", () => {
    const { store, path } = openTestBlockStore();
    store.describeFingerprint(sampleFingerprint, sampleParts, null);
    store.describeFingerprint(sampleFingerprint, sampleParts, smallLayout);
    store.describeFingerprint("cd".repeat(32), { ...sampleParts, release: "llama.cpp v2" }, null);
    store[Symbol.dispose]();
    expect(Object.fromEntries(openTestBlockStore({}, path).store.fingerprints)).toEqual({
      [sampleFingerprint]: { parts: sampleParts, layout: smallLayout },
      ["cd".repeat(32)]: { parts: { ...sampleParts, release: "llama.cpp v2" }, layout: null },
    });
  });

  test("outlives the file it was kept in", () => {
    const { store, path } = openTestBlockStore();
    store.describeFingerprint(sampleFingerprint, sampleParts, smallLayout);
    store.clear();
    store[Symbol.dispose]();
    expect(openTestBlockStore({}, path).store.fingerprints.get(sampleFingerprint)?.layout).toEqual(smallLayout);
  });
});

test("hashes of model files are remembered for as long as the file is the same", () => {
  const { store, path } = openTestBlockStore();
  store.weightsHashes.set("/models/one.gguf", "1:2", "first");
  store.weightsHashes.set("/models/one.gguf", "3:4", "second");
  store[Symbol.dispose]();
  const { weightsHashes } = openTestBlockStore({}, path).store;
  expect(weightsHashes.get("/models/one.gguf", "3:4")).toBe("second");
  expect(weightsHashes.get("/models/one.gguf", "1:2")).toBeNull();
});

test("blocks are listed and evicted without reading a payload", () => {
  const { store, path } = openTestBlockStore();
  putAll(store, sampleChain({ lengths: [8, 8], payloadBytes: 400_000 }));
  store[Symbol.dispose]();
  const database = new Database(path);
  const plan = database.prepare("EXPLAIN QUERY PLAN SELECT * FROM block ORDER BY id").all();
  expect(JSON.stringify(plan)).not.toContain("payload");
  expect(database.pragma("page_size", { simple: true })).toBe(65_536);
  expect(database.pragma("auto_vacuum", { simple: true })).toBe(2);
  database.close();
});
