import { expect, test } from "vitest";
import { CellStream, type StreamContext } from "../../../../src-main/engine/kv/cell-stream.ts";
import { firstUse } from "../../../../src-main/engine/kv/decayed-use.ts";
import type { Holding } from "../../../../src-main/engine/kv/holding.ts";
import { SetAside } from "../../../../src-main/engine/kv/set-aside.ts";

const context: StreamContext = {
  contextTokens: 100,
  firstPosition: 0,
  threads: 1,
  computeChunk: () => Promise.resolve(null),
  computeToken: () => Promise.resolve(0),
  truncate: () => false,
  clear: () => undefined,
  sequences: { copy: () => Promise.resolve(), remove: () => false, positions: () => null },
};

const holding = (role: Holding["role"]): Holding => ({
  role,
  conversationId: "one",
  owners: [],
  keptTokens: 3,
  boundaryTokens: 0,
  draftFrom: null,
  use: firstUse(0),
});

/** Three tokens in place, and a loader that copies states and puts them back, or cannot. */
async function setAside({ role = "chat", copies = true, loads = true }: Partial<Setting> = {}) {
  const stream = new CellStream(context, { kind: "only-at-end" });
  await stream.cells.extend([1, 2, 3], false);
  stream.active = holding(role);
  const loader = {
    copyState: () => Promise.resolve(copies ? Uint8Array.of(7) : null),
    putState: () => Promise.resolve(loads),
  };
  return { stream, aside: new SetAside({ stream, loader }) };
}

interface Setting {
  readonly role: Holding["role"];
  readonly copies: boolean;
  readonly loads: boolean;
}

async function sidePrompt(stream: CellStream): Promise<void> {
  await stream.take({ kind: "release", sequence: 0 });
  await stream.cells.extend([8, 9], false);
  stream.active = holding("side");
}

test("a conversation comes back as it was, once", async () => {
  const { stream, aside } = await setAside();
  await aside.take();
  await sidePrompt(stream);
  expect(await aside.putBack()).toBe(true);
  expect(stream.cells.tokens).toEqual([1, 2, 3]);
  expect(stream.active).toEqual(holding("chat"));
  expect(stream.counts).toMatchObject({ active: 3, free: 97 });
  expect(await aside.putBack()).toBe(false);
});

test("what is no conversation does not", async () => {
  const { stream, aside } = await setAside({ role: "side" });
  await aside.take();
  await sidePrompt(stream);
  expect(await aside.putBack()).toBe(false);
  expect(stream.cells.tokens).toEqual([8, 9]);
});

test("a state that cannot be copied is left to the store", async () => {
  const { stream, aside } = await setAside({ copies: false });
  await aside.take();
  await sidePrompt(stream);
  expect(await aside.putBack()).toBe(false);
});

test("where it cannot be put back nothing is in place", async () => {
  const { stream, aside } = await setAside({ loads: false });
  await aside.take();
  await sidePrompt(stream);
  expect(await aside.putBack()).toBe(false);
  expect(stream.cells.tokens).toEqual([]);
  expect(stream.counts.free).toBe(100);
});
