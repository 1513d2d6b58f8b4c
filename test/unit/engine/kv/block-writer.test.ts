import { describe, expect, test } from "vitest";
import {
  BlockWriter,
  type BlockWriterOptions,
  type WriteOutcome,
} from "../../../../src-main/engine/kv/block-writer.ts";
import { RecentBlocks } from "../../../../src-main/engine/kv/recent-blocks.ts";
import { found, openTestBlockStore, sampleBlock, sampleChain } from "../../../helpers/sample-blocks.ts";

/** An engine that is busy until it is told otherwise. */
function engine(isIdle: boolean) {
  let idle = Promise.withResolvers<undefined>();
  if (isIdle) idle.resolve(undefined);
  return {
    whenIdle: async () => {
      await idle.promise;
    },
    rest: () => {
      idle.resolve(undefined);
    },
    work: () => {
      idle = Promise.withResolvers();
    },
  };
}

function openWriter({ isIdle = true, ...options }: Partial<BlockWriterOptions> & { isIdle?: boolean } = {}) {
  const { store, path } = openTestBlockStore();
  const recent = new RecentBlocks(1e6);
  const outcomes: [key: string, kind: WriteOutcome["kind"]][] = [];
  const { whenIdle, rest, work } = engine(isIdle);
  const writer = new BlockWriter({
    store,
    recent,
    whenIdle,
    maxPendingBytes: 1e6,
    onOutcome: ({ key }, { kind }) => {
      outcomes.push([key, kind]);
    },
    ...options,
  });
  return { store, path, recent, writer, outcomes, rest, work };
}

describe("blocks in the background", () => {
  test("are served from memory before they are written, and after", async () => {
    const { store, recent, writer, rest } = openWriter({ isIdle: false });
    const [one, two] = sampleChain({ lengths: [8, 8] });
    writer.add(one, "soon");
    writer.add(two, "soon");
    expect(store.blocks.size).toBe(0);
    expect(recent.get(two.key)).toBe(two.payload);
    expect(writer.pendingBlocks).toEqual([one, two]);
    rest();
    await writer.whenDone();
    expect([found(store, one), found(store, two)]).toEqual(["whole", "whole"]);
    expect(recent).toMatchObject({ heldBytes: 0, usedBytes: 2_000 });
    expect(writer.pendingBlocks).toEqual([]);
  });

  test("are written only while nothing is computed, asked before each", async () => {
    const { store, writer, rest, work, outcomes } = openWriter({
      isIdle: false,
      onOutcome: ({ key }, { kind }) => {
        outcomes.push([key, kind]);
        work();
      },
    });
    const [one, two] = sampleChain({ lengths: [8, 8] });
    writer.add(one, "soon");
    writer.add(two, "soon");
    rest();
    while (outcomes.length === 0) await new Promise(setImmediate);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect([...store.blocks.keys()]).toEqual([one.key]);
    rest();
    while (outcomes.length < 2) await new Promise(setImmediate);
    expect(store.blocks.size).toBe(2);
    rest();
    await writer.whenDone();
  });

  test("that are tails wait until it is time", async () => {
    const { store, writer } = openWriter();
    const tail = sampleBlock({ length: 3 });
    writer.add(tail, "late");
    await writer.whenDone();
    expect(store.blocks.size).toBe(0);
    writer.writeLate();
    await writer.whenDone();
    expect(found(store, tail)).toBe("whole");
  });

  test("that are tails are never written where a longer block comes first", async () => {
    const { store, writer, outcomes, recent } = openWriter();
    const [full, tail] = sampleChain({ lengths: [16, 3] });
    const [longer] = sampleChain({ lengths: [16], behind: [full] });
    writer.add(full, "soon");
    writer.add(tail, "late");
    writer.add(longer, "soon");
    await writer.whenDone();
    writer.flush();
    expect([...store.blocks.keys()]).toEqual([full.key, longer.key]);
    expect(outcomes).toContainEqual([tail.key, "superseded"]);
    expect(recent.get(tail.key)).toBeNull();
    expect(store.figures.writtenBytes).toBe(2 * (1_000 + 64));
  });

  test("are written behind what they stand on, even where that would have waited", async () => {
    const { store, writer } = openWriter();
    const [tail, next] = sampleChain({ lengths: [3, 8] });
    writer.add(tail, "late");
    writer.add(next, "soon");
    await writer.whenDone();
    expect([...store.blocks.keys()]).toEqual([tail.key, next.key]);
  });

  test("are all written at the end, without waiting", () => {
    const { store, writer } = openWriter({ isIdle: false });
    const chain = sampleChain({ lengths: [8, 8, 3] });
    for (const [index, block] of chain.entries()) writer.add(block, index === 2 ? "late" : "soon");
    writer.flush();
    expect([...store.blocks.keys()]).toEqual(chain.map(({ key }) => key));
  });

  test("do not pile up: beyond a limit the oldest are written at once", () => {
    const { store, recent, writer } = openWriter({ isIdle: false, maxPendingBytes: 2_000 });
    const chain = sampleChain({ lengths: [8, 8, 8] });
    for (const block of chain) writer.add(block, "soon");
    expect([...store.blocks.keys()]).toEqual([chain[0].key]);
    expect(recent.heldBytes).toBe(2_000);
  });

  test("that cannot be stored are told of with the reason, stay in memory, and are not tried again", async () => {
    const { store, writer, recent, outcomes } = openWriter();
    const [, orphan] = sampleChain({ lengths: [8, 8] });
    writer.add(orphan, "soon");
    await writer.whenDone();
    expect(outcomes).toEqual([[orphan.key, "failed"]]);
    expect(recent.get(orphan.key)).toBe(orphan.payload);
    expect(writer.pendingBlocks).toEqual([]);
    expect(store.blocks.size).toBe(0);
  });

  test("are forgotten with what stands on them", async () => {
    const { store, writer, recent, rest } = openWriter({ isIdle: false });
    const [one, two] = sampleChain({ lengths: [8, 8] });
    const other = sampleBlock({ seed: 1 });
    for (const block of [one, two, other]) writer.add(block, "soon");
    writer.discard([one.key]);
    expect(recent.heldBytes).toBe(1_000);
    rest();
    await writer.whenDone();
    expect([...store.blocks.keys()]).toEqual([other.key]);
  });

  test("added twice are written once", async () => {
    const { writer, outcomes } = openWriter();
    const block = sampleBlock();
    writer.add(block, "soon");
    writer.add(block, "soon");
    await writer.whenDone();
    expect(outcomes).toEqual([[block.key, "stored"]]);
  });
});

test("when all is written, uses are written too and room goes back to the disk", async () => {
  const { store, path, writer } = openWriter();
  const [large, small] = [sampleBlock({ seed: 1, payloadBytes: 6_000_000 }), sampleBlock({ seed: 2 })];
  writer.add(large, "soon");
  await writer.whenDone();
  store.setBudget(200_000);
  const before = store.figures.fileBytes;
  writer.add(small, "soon");
  await writer.whenDone();
  expect(store.figures.fileBytes).toBeLessThan(before - 4_000_000);
  store.touch([small.key]);
  writer.writeLate();
  await writer.whenDone();
  const { store: other } = openTestBlockStore({}, path);
  expect(other.blocks.get(small.key)?.use.score).toBeGreaterThan(1.9);
});
