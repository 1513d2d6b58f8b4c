/** Whatever happens to kv.db: never a wrong answer, never a crash, at worst a recompute, and a reason for it. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { StoreFailure } from "../../../../src-main/engine/kv/store-problem.ts";
import type { NewBlock } from "../../../../src-main/engine/kv/stored-block.ts";
import { startScript } from "../../../helpers/child-script.ts";
import { found, openTestBlockStore, putAll, sampleBlock, sampleChain } from "../../../helpers/sample-blocks.ts";
import { smallDisk } from "../../../helpers/small-disk.ts";
import { ignoresPermissions, temporaryFolder } from "../../../helpers/temporary-folder.ts";

const chainOptions = { lengths: [16, 16, 16], payloadBytes: 200_000 } as const;

/** Changes one bit of the file in place, as a failing disk does. */
function flipBit(path: string, at: number, bit = 0): void {
  const byte = readFileSync(path)[at] ?? 0;
  const file = openSync(path, "r+");
  writeSync(file, Buffer.of(byte ^ (1 << bit)), 0, 1, at);
  closeSync(file);
}

/** Where a stretch of a block's payload lies in the file. */
function placeOf(path: string, { payload }: NewBlock): number {
  const at = readFileSync(path).indexOf(payload.subarray(100_000, 100_300));
  expect(at).toBeGreaterThan(0);
  return at;
}

function edit(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

describe("a flipped bit", () => {
  test("in a block drops it with all that stand on it, and says so", () => {
    const { store, path, removals } = openTestBlockStore();
    const [one, two, three] = sampleChain(chainOptions);
    putAll(store, [one, two, three]);
    flipBit(path, placeOf(path, two));
    expect(store.get(two.key)).toMatchObject({ kind: "damaged", dropped: [{ key: two.key }, { key: three.key }] });
    expect(removals).toMatchObject([{ cause: "damaged", blocks: [{ key: two.key }, { key: three.key }] }]);
    expect(found(store, one)).toBe("whole");
    expect(found(store, three)).toBe("missing");
    putAll(store, [two, three]);
    expect(found(store, three)).toBe("whole");
  });

  test("is found by looking for it", () => {
    const { store, path } = openTestBlockStore();
    const [one, two] = sampleChain({ ...chainOptions, lengths: [16, 16] });
    putAll(store, [one, two]);
    flipBit(path, placeOf(path, one));
    expect(Array.from(store.verify(), ({ kind }) => kind)).toEqual(["damaged", "missing"]);
    expect(store.blocks.size).toBe(0);
  });

  test("in the tokens of a block drops it: it would be taken for another text's", () => {
    const { store, path } = openTestBlockStore();
    const block = sampleBlock();
    putAll(store, [block]);
    store[Symbol.dispose]();
    const tokens = Buffer.from(block.tokens.slice().buffer);
    tokens.writeUInt32LE(4_711, 8);
    edit(path, `UPDATE block SET tokens = x'${tokens.toString("hex")}'`);
    const { store: again } = openTestBlockStore({}, path);
    expect(again.blocks.get(block.key)?.tokens[2]).toBe(4_711);
    expect(found(again, block)).toBe("damaged");
  });

  test("in what a block stands on makes it unreachable", () => {
    const { store, path } = openTestBlockStore();
    const chain = sampleChain(chainOptions);
    putAll(store, chain);
    store[Symbol.dispose]();
    edit(path, "UPDATE block SET parent = replace(parent, substr(parent, 1, 4), '0000') WHERE position = 16");
    const { store: again } = openTestBlockStore({}, path);
    expect([...again.blocks.keys()]).toEqual([chain[0].key]);
  });

  test("never lets the payload of one block pass for another's", () => {
    const { store, path } = openTestBlockStore();
    const [one, two] = [sampleBlock({ seed: 1 }), sampleBlock({ seed: 2 })];
    putAll(store, [one, two]);
    store[Symbol.dispose]();
    edit(path, "UPDATE payload SET block_id = 3 - block_id + 10; UPDATE payload SET block_id = block_id - 10");
    const { store: again } = openTestBlockStore({}, path);
    expect([found(again, one), found(again, two)]).toEqual(["damaged", "damaged"]);
  });

  test("anywhere in the file gives the right bytes or none, and the store goes on", () => {
    const { store, path } = openTestBlockStore();
    const blocks = [
      ...sampleChain({ ...chainOptions, payloadBytes: 90_000 }),
      sampleBlock({ seed: 1, payloadBytes: 50 }),
    ];
    putAll(store, blocks);
    store[Symbol.dispose]();
    const { size } = statSync(path);
    const places = Array.from({ length: 160 }, (_, index) => (index < 100 ? index : Math.floor((index * size) / 160)));
    for (const [index, at] of places.entries()) {
      const copy = join(dirname(path), `copy-${index}.db`);
      copyFileSync(path, copy);
      flipBit(copy, at, index % 8);
      const { store: damaged } = openTestBlockStore({}, copy);
      for (const block of blocks) expect(found(damaged, block)).not.toBe("wrong");
      expect(damaged.figures.failure).toSatisfy(
        (failure: StoreFailure | null) => failure === null || ["newer", "foreign"].includes(failure.reason),
      );
      damaged[Symbol.dispose]();
    }
  });
});

const damages: Record<string, (path: string) => void> = {
  "no database": (path) => {
    writeFileSync(path, "something else entirely, and longer than a header is");
  },
  empty: (path) => {
    writeFileSync(path, "");
  },
  "cut short": (path) => {
    truncateSync(path, 100_000);
  },
  "without its tables": (path) => {
    edit(path, "DROP TABLE payload");
  },
  "of an older version": (path) => {
    edit(path, "PRAGMA user_version = 0");
  },
  "with a stray journal": (path) => {
    writeFileSync(`${path}-journal`, Buffer.alloc(70_000, 1));
  },
};

describe("a file that is", () => {
  test("deleted while the store is open is begun anew, and what was in it is reported", () => {
    const { store, path, removals } = openTestBlockStore();
    const chain = sampleChain(chainOptions);
    putAll(store, chain);
    rmSync(path);
    expect(found(store, chain[0])).toBe("missing");
    expect(removals).toMatchObject([{ cause: "lost", blocks: [{ from: 0 }, { from: 16 }, { from: 32 }] }]);
    putAll(store, chain);
    expect(found(store, chain[2])).toBe("whole");
    store[Symbol.dispose]();
    expect(openTestBlockStore({}, path).store.blocks.size).toBe(3);
  });

  test("deleted just before a write takes that write", () => {
    const { store, path } = openTestBlockStore();
    putAll(store, [sampleBlock({ seed: 1 })]);
    rmSync(path);
    putAll(store, [sampleBlock({ seed: 2 })]);
    expect(existsSync(path)).toBe(true);
    expect(store.blocks.size).toBe(1);
  });

  test("exchanged for another is read as what it is", () => {
    const { store, path } = openTestBlockStore();
    const [mine, other] = [sampleBlock({ seed: 1 }), sampleBlock({ seed: 2 })];
    const { store: elsewhere, path: otherPath } = openTestBlockStore();
    putAll(store, [mine]);
    putAll(elsewhere, [other]);
    elsewhere[Symbol.dispose]();
    renameSync(otherPath, path);
    expect(found(store, mine)).toBe("missing");
    expect(found(store, other)).toBe("whole");
  });

  test("gone with its folder turns the store off until the folder is back", () => {
    let nowMs = 0;
    const { store, path } = openTestBlockStore({ now: () => nowMs });
    const block = sampleBlock();
    putAll(store, [block]);
    const folder = dirname(path);
    rmSync(folder, { recursive: true });
    expect(store.put(block)).toMatchObject({ kind: "failed", reason: "read-only" });
    expect(store.figures).toMatchObject({ failure: { reason: "read-only" }, blockCount: 0 });
    mkdirSync(folder);
    nowMs += 60_000;
    putAll(store, [block]);
    expect(store.figures.failure).toBeNull();
  });

  test("overwritten while the store is open gives no wrong bytes", () => {
    const { store, path } = openTestBlockStore();
    const chain = sampleChain(chainOptions);
    putAll(store, chain);
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(statSync(path).size, 0xa5), 0, undefined, 0);
    closeSync(file);
    for (const block of chain) expect(found(store, block)).not.toMatch(/whole|wrong/);
    putAll(store, chain);
    expect(found(store, chain[1])).toBe("whole");
  });

  test("cut short while the store is open gives no wrong bytes", () => {
    const { store, path } = openTestBlockStore();
    const chain = sampleChain(chainOptions);
    putAll(store, chain);
    truncateSync(path, 70_000);
    for (const block of chain) expect(found(store, block)).not.toMatch(/whole|wrong/);
  });

  test.each(Object.entries(damages))("%s at the start gives no wrong bytes, and the store works", (_, damage) => {
    const { store, path } = openTestBlockStore();
    const chain = sampleChain(chainOptions);
    putAll(store, chain);
    store[Symbol.dispose]();
    damage(path);
    const { store: again } = openTestBlockStore({}, path);
    for (const block of chain) expect(found(again, block)).not.toBe("wrong");
    const block = sampleBlock({ seed: 9 });
    putAll(again, [block]);
    expect(found(again, block)).toBe("whole");
  });

  test.each([
    ["newer", "PRAGMA user_version = 99"],
    ["foreign", "PRAGMA application_id = 1"],
  ])("%s is left as it is: the store does without", (reason, sql) => {
    const { store, path } = openTestBlockStore();
    putAll(store, [sampleBlock()]);
    store[Symbol.dispose]();
    edit(path, sql);
    const bytes = readFileSync(path);
    const { store: again } = openTestBlockStore({}, path);
    expect(again.figures).toMatchObject({ failure: { reason }, blockCount: 0 });
    expect(again.put(sampleBlock())).toMatchObject({ kind: "failed", reason });
    expect(again.get(sampleBlock().key)).toMatchObject({ kind: "failed", reason });
    again.clear();
    again[Symbol.dispose]();
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test("locked by another process turns the store off, and is left alone", () => {
    const { store, path } = openTestBlockStore();
    putAll(store, [sampleBlock()]);
    store[Symbol.dispose]();
    const other = new Database(path);
    other.exec("BEGIN EXCLUSIVE");
    const { store: again } = openTestBlockStore({}, path);
    expect(again.figures.failure?.reason).toBe("busy");
    other.close();
    expect(openTestBlockStore({}, path).store.blocks.size).toBe(1);
  });

  test("a folder turns the store off", () => {
    const path = join(temporaryFolder(), "kv.db");
    mkdirSync(path);
    const { store } = openTestBlockStore({}, path);
    expect(store.figures.failure?.reason).toBe("read-only");
    expect(store.put(sampleBlock())).toMatchObject({ kind: "failed" });
  });

  test("on a disk that cannot be written turns the store off", (context) => {
    const disk = smallDisk(8);
    if (disk === null) {
      context.skip("this process may not mount a small disk");
      return;
    }
    const path = join(disk.folder, "kv.db");
    const { store } = openTestBlockStore({}, path);
    putAll(store, [sampleBlock()]);
    store[Symbol.dispose]();
    disk.makeReadOnly();
    const { store: again } = openTestBlockStore({}, path);
    expect(again.figures.failure?.reason).toBe("read-only");
    expect(again.put(sampleBlock())).toMatchObject({ kind: "failed", reason: "read-only" });
  });

  test.skipIf(ignoresPermissions)("in a folder that cannot be written turns the store off", () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o500);
    const { store } = openTestBlockStore({}, join(folder, "kv.db"));
    expect(store.figures.failure?.reason).toBe("read-only");
    chmodSync(folder, 0o700);
  });
});

describe("a write that fails", () => {
  test("leaves index and file as they were, and what it would have evicted", () => {
    const { store, path, removals } = openTestBlockStore({ budgetBytes: 65_536 });
    const kept = sampleBlock({ seed: 1 });
    putAll(store, [kept]);
    edit(path, "CREATE TRIGGER fails BEFORE INSERT ON payload BEGIN SELECT RAISE(ABORT, 'no'); END");
    const before = store.figures;
    expect(store.put(sampleBlock({ seed: 2 }))).toMatchObject({ kind: "failed", reason: "other" });
    expect(store.figures).toEqual(before);
    expect(removals).toEqual([]);
    expect(found(store, kept)).toBe("whole");
    edit(path, "DROP TRIGGER fails");
    putAll(store, [sampleBlock({ seed: 2 })]);
  });

  test("because the disk is full is told as such; what is stored is still read, and writing goes on with room", (context) => {
    const disk = smallDisk(8);
    if (disk === null) {
      context.skip("this process may not mount a small disk");
      return;
    }
    const { store, path } = openTestBlockStore({ budgetBytes: 1e9 }, join(disk.folder, "kv.db"));
    const [one, two] = sampleChain({ lengths: [16, 16], payloadBytes: 2_000_000 });
    putAll(store, [one]);
    disk.fill();
    expect(store.put(two)).toMatchObject({ kind: "failed", reason: "disk-full" });
    expect([...store.blocks.keys()]).toEqual([one.key]);
    expect(found(store, one)).toBe("whole");
    store.saveUse();
    disk.free();
    putAll(store, [two]);
    store[Symbol.dispose]();
    const { store: again } = openTestBlockStore({}, path);
    expect([found(again, one), found(again, two)]).toEqual(["whole", "whole"]);
  });

  test("on a disk that is full from the start leaves no store, and no error", (context) => {
    const disk = smallDisk(1);
    if (disk === null) {
      context.skip("this process may not mount a small disk");
      return;
    }
    disk.fill();
    const { store } = openTestBlockStore({}, join(disk.folder, "kv.db"));
    expect(store.figures.failure?.reason).toBe("disk-full");
    expect(store.get(sampleBlock().key)).toMatchObject({ kind: "failed", reason: "disk-full" });
  });
});

const blockWriterScript = new URL("../../../helpers/block-writer-script.ts", import.meta.url);

test.each([1, 3, 17, 60, 130])("after kill -9 past %i blocks every block that is there is whole", async (blocks) => {
  const path = join(temporaryFolder(), "kv.db");
  const writer = startScript(blockWriterScript, path);
  const told: string[] = [];
  while (told.length < blocks) told.push(await writer.line());
  told.push(...(await writer.kill()));
  const { store } = openTestBlockStore({ budgetBytes: 30_000_000 }, path);
  expect(store.figures).toMatchObject({ failure: null, startedAnew: null });
  // The last ones it told of must be there; earlier ones were evicted.
  const expected = told.slice(-20).map((line) => line.split(" ") as [key: string, fill: string]);
  for (const [key, fill] of expected) {
    const outcome = store.get(key);
    if (outcome.kind !== "found") throw new Error(`${key} is ${outcome.kind}`);
    expect(outcome.payload.equals(Buffer.alloc(700_000, Number(fill)))).toBe(true);
  }
  for (const outcome of store.verify()) expect(outcome.kind).toBe("found");
  const database = new Database(path);
  expect(database.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
  database.close();
  expect(readdirSync(dirname(path)).filter((name) => !name.startsWith("kv.db"))).toEqual([]);
});
