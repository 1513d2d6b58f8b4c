/** The default model: a conversation that was parked, stored and restored goes on as if it had never left memory. */
import { afterAll, describe, expect, test } from "vitest";
import { bytesPerToken } from "../../../src-main/engine/kv/row-layout.ts";
import { closeLlama } from "../../../src-main/engine/llama/load-llama.ts";
import { StateFolder } from "../../../src-main/engine/llama/state-folder.ts";
import { defaultModelPath } from "../../helpers/default-model.ts";
import { sharedLlama } from "../../helpers/open-tiny-model.ts";
import { RawContext } from "../../helpers/raw-context.ts";
import { openTestBlockStore, putAll } from "../../helpers/sample-blocks.ts";
import { cutBlocks, restoreBlocks } from "../../helpers/stored-conversation.ts";

const folder = new StateFolder();
const parked = 9;
const answerTokens = 40;

afterAll(async () => {
  folder[Symbol.dispose]();
  await closeLlama(await sharedLlama());
});

function promptOf({ model }: RawContext, length: number): number[] {
  const facts = Array.from({ length: 80 }, (_, index) => `Item ${index * 3} is kept on shelf ${(index * 7) % 31}.`);
  const tokens = model.tokenize(`${facts.join(" ")} Where is item 12?`);
  return tokens.slice(-length);
}

describe.each([true, false])("with flash attention: %s", (flashAttention) => {
  const options = { contextTokens: 2_048, flashAttention };

  test("token for token: parked, restored after a restart, and within a block", async () => {
    const { store } = openTestBlockStore();
    let conversation: number[];
    let stored: Awaited<ReturnType<typeof cutBlocks>>;
    let expected: { readonly whole: number[]; readonly within: number[] };
    const within = 400;
    {
      await using context = await RawContext.open(await defaultModelPath(), options);
      const prompt = promptOf(context, 640);
      conversation = [...prompt, ...(await context.goOn(prompt, 0, answerTokens))];
      const kept = conversation.length - 1;
      await context.sequences.copy(parked, 0);
      const whole = await context.goOn(conversation.slice(-1), kept, answerTokens);
      stored = await cutBlocks(context, folder, { tokens: conversation.slice(0, kept), sequence: parked });
      putAll(store, stored.blocks);
      context.sequences.remove(0);
      await context.sequences.copy(0, parked);
      expect(await context.goOn(conversation.slice(-1), kept, answerTokens)).toEqual(whole);
      // In the same cells as it will be after the restart: sums over cells in another order round differently.
      context.sequences.remove(parked);
      context.sequences.remove(0, within);
      expected = { whole, within: await context.goOn(prompt.slice(-20), within, answerTokens) };
    }
    // Thirty layers, three heads of 64 for keys and for values, two bytes each.
    expect(bytesPerToken(stored.layout)).toBe(30 * 2 * 3 * 64 * 2);
    expect(stored.blocks.map(({ tokens }) => tokens.length)).toEqual([256, 256, 640 + answerTokens - 1 - 512]);

    await using again = await RawContext.open(await defaultModelPath(), options);
    const restore = { ...stored, store, valuesByColumn: !flashAttention };
    const kept = conversation.length - 1;
    await restoreBlocks(again, folder, { ...restore, to: kept });
    expect(await again.goOn(conversation.slice(-1), kept, answerTokens)).toEqual(expected.whole);
    await restoreBlocks(again, folder, { ...restore, to: within });
    expect(await again.goOn(conversation.slice(620, 640), within, answerTokens)).toEqual(expected.within);
  });

  test("what a turn added is all that is saved, and the conversation goes on as if it had not been", async () => {
    await using context = await RawContext.open(await defaultModelPath(), options);
    const prompt = promptOf(context, 640);
    await context.compute(prompt);
    await context.sequences.copy(parked, 0);
    const expected = await context.goOn(prompt.slice(0, 8), 640, answerTokens);
    context.sequences.remove(0);
    await context.sequences.copy(0, parked);
    const { blocks } = await cutBlocks(context, folder, { tokens: prompt, from: 512 });
    expect(blocks.map(({ from, payload }) => [from, payload.length])).toEqual([[512, 128 * 23_040]]);
    expect(context.sequences.positions(0)).toEqual({ first: 0, last: 639 });
    expect(await context.goOn(prompt.slice(0, 8), 640, answerTokens)).toEqual(expected);
  });
});
