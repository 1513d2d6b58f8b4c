/** A conversation that went through the store goes on as if it had never left memory. */
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { snapshotKey } from "../../../src-main/engine/kv/block-key.ts";
import { StateFile } from "../../../src-main/engine/kv/read-state-file.ts";
import { closeLlama } from "../../../src-main/engine/llama/load-llama.ts";
import { StateFolder } from "../../../src-main/engine/llama/state-folder.ts";
import { sharedLlama } from "../../helpers/open-tiny-model.ts";
import { anyTokens, RawContext } from "../../helpers/raw-context.ts";
import { openTestBlockStore, putAll, sampleFingerprint, unknownSteps } from "../../helpers/sample-blocks.ts";
import { cutBlocks, restoreBlocks } from "../../helpers/stored-conversation.ts";

const folder = new StateFolder();

afterAll(async () => {
  folder[Symbol.dispose]();
  await closeLlama(await sharedLlama());
});

const answerTokens = 16;

/** A prompt and an answer whose cells are in place, but for the answer's last token. */
async function converse(context: RawContext, prompt: readonly number[]): Promise<number[]> {
  return [...prompt, ...(await context.goOn(prompt, 0, answerTokens))];
}

describe.each([
  ["flash attention", { flashAttention: true }],
  ["values by column", { flashAttention: false }],
  ["a quantized cache", { flashAttention: true, cacheType: "Q8_0" }],
] as const)("with %s", (_, options) => {
  const valuesByColumn = !options.flashAttention;

  test("a conversation restored after a restart goes on token for token", async () => {
    const { store, path } = openTestBlockStore();
    const prompt = anyTokens(600);
    let stored: Awaited<ReturnType<typeof cutBlocks>>;
    let conversation: number[];
    let expected: number[];
    {
      await using context = await RawContext.openTiny({}, options);
      conversation = await converse(context, prompt);
      const kept = conversation.slice(0, -1);
      stored = await cutBlocks(context, folder, { tokens: kept });
      putAll(store, stored.blocks);
      expected = await context.goOn(conversation.slice(-1), kept.length, answerTokens);
    }
    store[Symbol.dispose]();
    const { store: reopened } = openTestBlockStore({}, path);
    await using again = await RawContext.openTiny({}, options);
    const to = conversation.length - 1;
    await restoreBlocks(again, folder, { ...stored, store: reopened, valuesByColumn, to });
    expect(again.sequences.positions(0)).toEqual({ first: 0, last: to - 1 });
    expect(await again.goOn(conversation.slice(-1), to, answerTokens)).toEqual(expected);
  });

  test("any beginning of it, also one that ends within a block, goes on like those cells in place", async () => {
    const { store } = openTestBlockStore();
    await using context = await RawContext.openTiny({}, options);
    const prompt = anyTokens(600);
    await context.compute(prompt);
    const stored = await cutBlocks(context, folder, { tokens: prompt });
    putAll(store, stored.blocks);
    for (const to of [1, 100, 256, 400, 512, 599]) {
      const other = [...prompt.slice(to), ...anyTokens(20, to)].slice(-20);
      context.sequences.remove(0);
      await context.compute(prompt);
      context.sequences.remove(0, to);
      const expected = await context.goOn(other, to, answerTokens);
      await restoreBlocks(context, folder, { ...stored, store, valuesByColumn, to });
      expect(await context.goOn(other, to, answerTokens)).toEqual(expected);
    }
  });

  test("what each turn added, saved turn by turn, gives the same blocks as all of it saved at once", async () => {
    await using context = await RawContext.openTiny({}, options);
    const tokens = anyTokens(700);
    await context.compute(tokens.slice(0, 512));
    const first = await cutBlocks(context, folder, { tokens: tokens.slice(0, 512) });
    await context.compute(tokens.slice(512), 512);
    const parent = first.blocks.at(-1)?.key ?? "";
    const second = await cutBlocks(context, folder, { tokens, from: 512, parent });
    const atOnce = await cutBlocks(context, folder, { tokens });
    expect([...first.blocks, ...second.blocks]).toEqual(atOnce.blocks);
  });

  test("a parked copy is saved as it is, whatever the active conversation does meanwhile", async () => {
    const { store } = openTestBlockStore();
    await using context = await RawContext.openTiny({}, options);
    const conversation = await converse(context, anyTokens(300));
    const to = conversation.length - 1;
    await context.sequences.copy(9, 0);
    const expected = await context.goOn(conversation.slice(-1), to, answerTokens);
    context.sequences.remove(0);
    await context.compute(anyTokens(200, 5));
    const stored = await cutBlocks(context, folder, { tokens: conversation.slice(0, to), sequence: 9 });
    putAll(store, stored.blocks);
    context.sequences.remove(9);
    await restoreBlocks(context, folder, { ...stored, store, valuesByColumn, to });
    expect(await context.goOn(conversation.slice(-1), to, answerTokens)).toEqual(expected);
  });

  test("a conversation whose cells lie scattered is stored and restored like any other", async () => {
    const { store } = openTestBlockStore();
    await using context = await RawContext.openTiny({}, { ...options, contextTokens: 512 });
    // Every second stretch of cells is taken by another sequence, and then freed.
    for (let at = 0; at < 200; at += 20) {
      await context.compute(anyTokens(20, at), at);
      if ((at / 20) % 2 === 1) continue;
      await context.sequences.copy(3, 0);
      context.sequences.remove(3, null, at);
      await context.sequences.copy(4, 3);
      context.sequences.remove(3);
    }
    context.sequences.remove(0);
    const tokens = anyTokens(250, 77);
    await context.compute(tokens.slice(0, 120));
    context.sequences.remove(4);
    await context.compute(tokens.slice(120), 120);
    const stored = await cutBlocks(context, folder, { tokens });
    putAll(store, stored.blocks);
    const expected = await context.goOn(anyTokens(5, 1), 250, answerTokens);
    await restoreBlocks(context, folder, { ...stored, store, valuesByColumn, to: 250 });
    expect(await context.goOn(anyTokens(5, 1), 250, answerTokens)).toEqual(expected);
  });

  test("a beginning that is still in place is completed from the store without copying it", async () => {
    const { store } = openTestBlockStore();
    await using context = await RawContext.openTiny({}, options);
    const conversation = await converse(context, anyTokens(600));
    const to = conversation.length - 1;
    const stored = await cutBlocks(context, folder, { tokens: conversation.slice(0, to) });
    putAll(store, stored.blocks);
    const expected = await context.goOn(conversation.slice(-1), to, answerTokens);
    context.sequences.remove(0, 256);
    const missing = { ...stored, blocks: stored.blocks.slice(1) };
    await restoreBlocks(context, folder, { ...missing, store, valuesByColumn, to, sequence: 12 });
    expect(context.sequences.positions(12)).toEqual({ first: 256, last: to - 1 });
    await context.sequences.copy(0, 12);
    context.sequences.remove(12);
    expect(await context.goOn(conversation.slice(-1), to, answerTokens)).toEqual(expected);
  });
});

test("the same blocks serve a context with the other layout of values, as if cells had been in place all along", async () => {
  const { store } = openTestBlockStore();
  const prompt = anyTokens(600);
  const question = anyTokens(30, 3);
  let stored: Awaited<ReturnType<typeof cutBlocks>>;
  let saved: Awaited<ReturnType<typeof cutBlocks>>;
  {
    await using byRow = await RawContext.openTiny({}, { flashAttention: true });
    await byRow.compute(prompt);
    stored = await cutBlocks(byRow, folder, { tokens: prompt });
    putAll(store, stored.blocks);
  }
  {
    await using byColumn = await RawContext.openTiny({}, { flashAttention: false });
    await restoreBlocks(byColumn, folder, { ...stored, store, valuesByColumn: true, to: 600 });
    saved = await cutBlocks(byColumn, folder, { tokens: prompt });
    const answer = await byColumn.goOn(question, 600, answerTokens);
    byColumn.sequences.remove(0);
    expect(await byColumn.goOn([...prompt, ...question], 0, answerTokens)).toEqual(answer);
  }
  expect(saved.blocks).toEqual(stored.blocks);
  expect(saved.layout).toEqual(stored.layout);
});

describe("a model with a sliding window", () => {
  const window = { variant: "sliding-window", windowTokens: 64 } as const;

  test("has a state that is not cut by token", async () => {
    await using context = await RawContext.openTiny(window);
    await context.compute(anyTokens(600));
    await folder.use(1e6, async (path) => {
      await context.sequences.saveFrom(path, { sequence: 0, from: 0, scratch: 255 });
      expect(() => new StateFile(path)).toThrow("left over");
    });
  });

  test("is stored whole and goes on exactly at the end of what was stored", async () => {
    const { store } = openTestBlockStore();
    const prompt = anyTokens(600);
    let conversation: number[];
    let expected: number[];
    {
      await using context = await RawContext.openTiny(window);
      conversation = await converse(context, prompt);
      const tokens = Uint32Array.from(conversation.slice(0, -1));
      const payload = await folder.use(1e6, async (path) => {
        await context.sequences.saveWhole(path);
        return readFileSync(path);
      });
      const names = {
        key: snapshotKey(sampleFingerprint, tokens),
        parent: sampleFingerprint,
        fingerprint: sampleFingerprint,
        ...unknownSteps(tokens.length),
      };
      putAll(store, [{ ...names, kind: "snapshot", from: 0, tokens, conversationId: null, turnId: null, payload }]);
      expected = await context.goOn(conversation.slice(-1), tokens.length, answerTokens);
    }
    await using again = await RawContext.openTiny(window);
    const outcome = store.get(snapshotKey(sampleFingerprint, conversation.slice(0, -1)));
    if (outcome.kind !== "found") throw new Error(outcome.kind);
    await folder.use(1e6, async (path) => {
      writeFileSync(path, outcome.payload);
      await again.sequences.load(path, 0, outcome.payload.length);
    });
    expect(again.sequences.positions(0)?.last).toBe(conversation.length - 2);
    expect(await again.goOn(conversation.slice(-1), conversation.length - 1, answerTokens)).toEqual(expected);
  });
});
