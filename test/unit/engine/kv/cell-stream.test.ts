import { describe, expect, test } from "vitest";
import { CellStream, type StreamContext } from "../../../../src-main/engine/kv/cell-stream.ts";
import { firstUse } from "../../../../src-main/engine/kv/decayed-use.ts";
import type { Holding } from "../../../../src-main/engine/kv/holding.ts";

/** Does what it is told and remembers nothing, until it is to fail. */
class FakeContext implements StreamContext {
  readonly contextTokens = 100;
  readonly firstPosition = 0;
  readonly threads = 2;
  fails = false;
  clears = 0;
  readonly sequences = {
    copy: () => (this.fails ? Promise.reject(new Error("no copy")) : Promise.resolve()),
    remove: () => !this.fails,
    positions: () => null,
  };

  computeChunk(_position: number, tokens: readonly number[]): Promise<number | null> {
    return Promise.resolve(tokens.length - 1);
  }

  computeToken(): Promise<number> {
    return Promise.resolve(0);
  }

  truncate(): boolean {
    return true;
  }

  clear(): void {
    this.clears += 1;
  }
}

function holding(conversationId: string, atMs = 0): Holding {
  const rest = { role: "chat", owners: [], keptTokens: 10, boundaryTokens: 0, draftFrom: null } as const;
  return { ...rest, conversationId, use: firstUse(atMs) };
}

const tokens = (count: number) => Array.from({ length: count }, (_, index) => index);

async function streamOf(count: number) {
  const context = new FakeContext();
  const stream = new CellStream(context, { kind: "anywhere" });
  await stream.cells.extend(tokens(count), false);
  stream.active = holding("one");
  return { context, stream };
}

/** The active sequence is parked whole, cut, and goes on differently. */
async function branched() {
  const { context, stream } = await streamOf(10);
  await stream.take({ kind: "copy", source: 0, target: 1 });
  await stream.take({ kind: "truncate", sequence: 0, length: 4 });
  await stream.cells.extend([70, 71, 72], false);
  return { context, stream };
}

test("a branch shares what it has in common, and all cells are accounted for", async () => {
  const { stream } = await branched();
  expect(stream.counts).toEqual({ total: 100, active: 7, parked: 6, shared: 4, free: 87 });
  const [active, parked] = stream.residents(() => 0);
  expect(active).toMatchObject({ sequence: 0, tokens: [0, 1, 2, 3, 70, 71, 72], conversationId: "one" });
  expect(parked).toMatchObject({ sequence: 1, tokens: tokens(10), conversationId: "one" });
});

test("decoding is accounted for when somebody asks", async () => {
  const { stream } = await streamOf(10);
  for (const token of tokens(5)) await stream.cells.append(token);
  expect(stream.counts).toMatchObject({ active: 15, free: 85 });
});

test("an answer that needs the cells of a parked branch takes them, the one used longest ago first", async () => {
  const { stream } = await streamOf(40);
  stream.active = holding("one", 5);
  await stream.take({ kind: "copy", source: 0, target: 1 });
  await stream.take({ kind: "release", sequence: 0 });
  await stream.cells.extend(tokens(40), false);
  stream.active = holding("one", 2);
  await stream.take({ kind: "copy", source: 0, target: 2 });
  await stream.take({ kind: "release", sequence: 0 });
  stream.bound();
  await stream.cells.extend(tokens(20), false);
  expect(stream.counts.free).toBe(0);
  await stream.cells.append(1);
  expect([stream.holds(1), stream.holds(2)]).toEqual([true, false]);
  expect(stream.takeDropped()).toEqual([{ sequence: 2, role: "chat", keptTokens: 10, tokens: tokens(40) }]);
  expect(stream.takeDropped()).toEqual([]);
});

test("what a conversation computed first that is no more is of those that hold it", async () => {
  const { stream } = await streamOf(10);
  const shared = [{ owner: "gone", tokens: 6 }];
  stream.active = { ...holding("two"), owners: [...shared, { owner: "two", tokens: 4 }] };
  await stream.take({ kind: "copy", source: 0, target: 1 });
  stream.active = {
    ...holding("three"),
    owners: [...shared, { owner: "three", tokens: 2 }, { owner: "two", tokens: 2 }],
  };
  stream.disown("gone");
  expect(stream.holdingOf(1).owners).toEqual([{ owner: "two", tokens: 10 }]);
  expect(stream.active.owners).toEqual([
    { owner: "three", tokens: 8 },
    { owner: "two", tokens: 2 },
  ]);
});

describe("gaps among the cells", () => {
  test("are there when a branch is released behind which the active sequence has gone on", async () => {
    const { stream } = await branched();
    await stream.take({ kind: "release", sequence: 1 });
    expect(stream.hasGaps).toBe(true);
    stream.repacked(true);
    expect(stream.hasGaps).toBe(false);
    expect(stream.cells.length).toBe(7);
  });

  test("are not when all of the active sequence lies before what was released", async () => {
    const { stream } = await branched();
    await stream.take({ kind: "truncate", sequence: 0, length: 4 });
    await stream.take({ kind: "release", sequence: 1 });
    expect(stream.hasGaps).toBe(false);
  });

  test("do not matter once nothing is in place any more", async () => {
    const { stream } = await branched();
    await stream.take({ kind: "release", sequence: 1 });
    await stream.take({ kind: "release", sequence: 0 });
    await stream.cells.extend(tokens(3), false);
    expect(stream.hasGaps).toBe(false);
  });
});

describe("when llama.cpp fails at a step", () => {
  test("nothing in the stream is believed any more", async () => {
    const { context, stream } = await branched();
    context.fails = true;
    await expect(stream.take({ kind: "copy", source: 0, target: 2 })).rejects.toThrow("no copy");
    expect(stream.counts).toMatchObject({ active: 0, parked: 0, free: 100 });
    expect(stream.residents(() => 0)).toEqual([]);
    expect(context.clears).toBe(1);
  });
});
