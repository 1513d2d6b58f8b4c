/** What the cache takes for granted of how the library moves cells: one test a fact. A new release must pass them all. */
import { readFileSync, statSync, truncateSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { StateFile } from "../../../src-main/engine/kv/read-state-file.ts";
import { bytesPerToken } from "../../../src-main/engine/kv/row-layout.ts";
import { closeLlama } from "../../../src-main/engine/llama/load-llama.ts";
import { SequenceState } from "../../../src-main/engine/llama/sequence-state.ts";
import { StateFolder } from "../../../src-main/engine/llama/state-folder.ts";
import { sharedLlama } from "../../helpers/open-tiny-model.ts";
import { anyTokens, RawContext } from "../../helpers/raw-context.ts";
import { wholeStates } from "../../helpers/whole-state.ts";

const folder = new StateFolder();
const states = wholeStates(folder);

afterAll(async () => {
  folder[Symbol.dispose]();
  await closeLlama(await sharedLlama());
});

/** What the model says after `prompt`, from cells that were just computed. */
async function fresh(context: RawContext, prompt: readonly number[], count = 12): Promise<number[]> {
  context.sequences.remove(0);
  return await context.goOn(prompt, 0, count);
}

/** The same from what is in place: only the last token of the prompt is computed again. */
async function goOnFrom(context: RawContext, prompt: readonly number[], count = 12): Promise<number[]> {
  context.sequences.remove(0, prompt.length - 1);
  return await context.goOn(prompt.slice(-1), prompt.length - 1, count);
}

async function withSaved<Result>(
  { sequences }: RawContext,
  { sequence = 0, from = 0, to }: { sequence?: number; from?: number; to?: number },
  work: (path: string) => Result | Promise<Result>,
): Promise<Result> {
  return await folder.use(1e6, async (path) => {
    await sequences.saveFrom(path, { sequence, from, ...(to === undefined ? {} : { to }), scratch: 255 });
    return await work(path);
  });
}

describe("hidden sequence ids of a context with one stream", () => {
  test("share cells without copying, and each goes on exactly where it was", async () => {
    await using context = await RawContext.openTiny();
    const { sequences } = context;
    const [one, two] = [anyTokens(300), anyTokens(200, 5)];
    const expected = [await fresh(context, one), await fresh(context, two)];
    await fresh(context, one, 1);
    await sequences.copy(7, 0);
    await fresh(context, two, 1);
    await sequences.copy(8, 0);
    const answers: number[][] = [];
    for (const [id, prompt] of [
      [7, one],
      [8, two],
    ] as const) {
      sequences.remove(0);
      await sequences.copy(0, id);
      answers.push(await goOnFrom(context, prompt));
    }
    expect(answers).toEqual(expected);
    expect(sequences.positions(7)).toEqual({ first: 0, last: 299 });
  });

  test("keep their cells while the active one is truncated and goes on differently", async () => {
    await using context = await RawContext.openTiny();
    const { sequences } = context;
    const prompt = anyTokens(300);
    const branch = [...prompt.slice(0, 150), ...anyTokens(60, 9)];
    const expected = [await fresh(context, branch), await fresh(context, prompt)];
    await sequences.copy(255, 0);
    sequences.remove(0, 150);
    expect(await context.goOn(branch.slice(150), 150, 12)).toEqual(expected[0]);
    sequences.remove(0);
    await sequences.copy(0, 255);
    expect(await goOnFrom(context, prompt)).toEqual(expected[1]);
  });

  test("add a source's cells to those the target has", async () => {
    await using context = await RawContext.openTiny();
    const { sequences } = context;
    const prompt = anyTokens(300);
    const expected = await fresh(context, prompt);
    await sequences.copy(9, 0);
    sequences.remove(9, null, 100);
    sequences.remove(0, 100);
    expect([sequences.positions(0)?.last, sequences.positions(9)?.first]).toEqual([99, 100]);
    await sequences.copy(0, 9);
    expect(await goOnFrom(context, prompt)).toEqual(expected);
  });

  test("copied from an empty one the target keeps nothing", async () => {
    await using context = await RawContext.openTiny();
    const { sequences } = context;
    await fresh(context, anyTokens(20), 1);
    await sequences.copy(0, 3);
    expect(sequences.positions(0)).toBeNull();
  });

  test("beyond 255 are refused before the library ends the process", async () => {
    await using context = await RawContext.openTiny();
    await expect(context.sequences.copy(256, 0)).rejects.toThrow(RangeError);
    expect(() => context.sequences.remove(-1)).toThrow(RangeError);
    expect(() => context.sequences.positions(0.5)).toThrow(RangeError);
  });

  test("are refused in a context with several streams, where they would end it too", async () => {
    await using context = await RawContext.openTiny();
    const several = await context.model.createContext({ contextSize: 512, sequences: 2 });
    expect(() => new SequenceState(several)).toThrow("damaged");
    await several.dispose();
  });
});

describe("a saved state", () => {
  test("of any id holds every token's cell, and nothing of the others", async () => {
    await using context = await RawContext.openTiny();
    await fresh(context, anyTokens(100), 1);
    await context.sequences.copy(4, 0);
    await fresh(context, anyTokens(30, 2), 1);
    await withSaved(context, { sequence: 4 }, (path) => {
      using file = new StateFile(path);
      expect(file).toMatchObject({ from: 0, to: 100, valuesByColumn: false });
      // Two layers, two heads of 32 for keys and for values, two bytes each.
      expect(bytesPerToken(file.layout)).toBe(2 * 2 * 2 * 32 * 2);
    });
    expect(context.sequences.positions(255)).toBeNull();
  });

  test("from a position on holds only the tokens from there, at their positions", async () => {
    await using context = await RawContext.openTiny();
    const { sequences } = context;
    await fresh(context, anyTokens(300), 1);
    await sequences.copy(4, 0);
    const whole = await withSaved(context, {}, (path) => cutAll(path, 256, 300));
    const part = await withSaved(context, { from: 256 }, (path) => {
      using file = new StateFile(path);
      expect([file.from, file.to]).toEqual([256, 300]);
      return cutAll(path, 256, 300);
    });
    expect(part.equals(whole)).toBe(true);
    expect([sequences.positions(0), sequences.positions(4)]).toEqual([
      { first: 0, last: 299 },
      { first: 0, last: 299 },
    ]);
  });

  test("may end before the last position too, and holds what the whole one has there", async () => {
    await using context = await RawContext.openTiny();
    await context.compute(anyTokens(300));
    const rows = async (range: { from?: number; to?: number }) =>
      await withSaved(context, range, (path) => {
        using file = new StateFile(path);
        return { from: file.from, to: file.to, rows: file.cut([{ from: 100, to: 200 }])[0]?.toString("hex") };
      });
    const whole = await rows({});
    expect(await rows({ from: 100, to: 200 })).toEqual({ from: 100, to: 200, rows: whole.rows });
    expect(await rows({ to: 200 })).toEqual({ from: 0, to: 200, rows: whole.rows });
  });

  test("leaves the saved conversation as it was", async () => {
    await using context = await RawContext.openTiny();
    const prompt = anyTokens(300);
    const expected = await fresh(context, prompt);
    await fresh(context, prompt, 1);
    await withSaved(context, { from: 200 }, () => undefined);
    expect(await goOnFrom(context, prompt)).toEqual(expected);
  });

  test("has its cells in the order in which they were free, not in that of their positions", async () => {
    await using context = await RawContext.openTiny({}, { contextTokens: 512 });
    const { sequences } = context;
    await fresh(context, anyTokens(300), 1);
    await sequences.copy(5, 0);
    sequences.remove(0);
    await context.compute(anyTokens(200, 3));
    sequences.remove(5);
    const prompt = [...anyTokens(200, 3), ...anyTokens(290, 4)];
    await context.compute(prompt.slice(200), 200);
    await withSaved(context, {}, (path) => {
      using file = new StateFile(path);
      expect(file.to).toBe(490);
      const firstPositions = readFileSync(path).readInt32LE(20);
      expect(firstPositions).toBeGreaterThan(0);
    });
  });

  test("of an empty sequence holds nothing", async () => {
    await using context = await RawContext.openTiny();
    await withSaved(context, {}, (path) => {
      expect(() => new StateFile(path)).toThrow("no cells");
    });
  });

  test("that cannot be written is an error, and the conversation is as it was", async () => {
    await using context = await RawContext.openTiny();
    const prompt = anyTokens(50);
    const expected = await fresh(context, prompt);
    await expect(
      context.sequences.saveFrom("/no/such/folder/state", { sequence: 0, from: 10, scratch: 255 }),
    ).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    expect(context.sequences.positions(255)).toBeNull();
    expect(await goOnFrom(context, prompt)).toEqual(expected);
  });
});

describe("loading a state", () => {
  test("puts it in the place of what was there, and it goes on exactly", async () => {
    await using context = await RawContext.openTiny();
    const prompt = anyTokens(300);
    const expected = await fresh(context, prompt);
    await fresh(context, prompt, 1);
    const state = await states.save(context);
    await fresh(context, anyTokens(400, 8), 1);
    await states.load(context, state);
    expect(context.sequences.positions(0)).toEqual({ first: 0, last: 299 });
    expect(await goOnFrom(context, prompt)).toEqual(expected);
  });

  test("into a hidden id leaves the active one alone", async () => {
    await using context = await RawContext.openTiny();
    const [one, two] = [anyTokens(300), anyTokens(100, 8)];
    const expected = [await fresh(context, one), await fresh(context, two)];
    await fresh(context, one, 1);
    const state = await states.save(context);
    await fresh(context, two, 1);
    await states.load(context, state, 17);
    expect(await goOnFrom(context, two)).toEqual(expected[1]);
    context.sequences.remove(0);
    await context.sequences.copy(0, 17);
    expect(await goOnFrom(context, one)).toEqual(expected[0]);
  });

  test("that was cut short is refused before the library ends the process, and the sequence is empty", async () => {
    await using context = await RawContext.openTiny();
    await fresh(context, anyTokens(100), 1);
    await folder.use(1e6, async (path) => {
      await context.sequences.saveWhole(path);
      const { size } = statSync(path);
      truncateSync(path, size - 1);
      await expect(context.sequences.load(path, 0, size)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    });
    expect(context.sequences.positions(0)).toBeNull();
  });

  test("for which there are not enough cells is an error, and other sequences keep theirs", async () => {
    await using context = await RawContext.openTiny({}, { contextTokens: 512 });
    const two = anyTokens(300, 8);
    await fresh(context, anyTokens(300), 1);
    const state = await states.save(context);
    const expected = await fresh(context, two);
    await fresh(context, two, 1);
    await expect(states.load(context, state, 17)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    expect(context.sequences.positions(17)).toBeNull();
    expect(await goOnFrom(context, two)).toEqual(expected);
  });

  test.each([
    ["other types", { cacheType: "Q8_0" }],
    ["another layout of values", { flashAttention: false }],
  ] as const)("of %s is an error", async (_, options) => {
    let state: Buffer;
    {
      await using context = await RawContext.openTiny();
      await fresh(context, anyTokens(100), 1);
      state = await states.save(context);
    }
    await using other = await RawContext.openTiny({}, options);
    await expect(states.load(other, state)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  });

  test("of another model of the same shape succeeds, and is wrong: only the fingerprint keeps us from it", async () => {
    const prompt = anyTokens(300);
    let state: Buffer;
    {
      await using context = await RawContext.openTiny({ seed: 1 });
      await fresh(context, prompt, 1);
      state = await states.save(context);
    }
    await using other = await RawContext.openTiny({ seed: 2 });
    const expected = await fresh(other, prompt);
    await states.load(other, state);
    expect(await goOnFrom(other, prompt)).not.toEqual(expected);
  });
});

function cutAll(path: string, from: number, to: number): Buffer {
  using file = new StateFile(path);
  return Buffer.concat(file.cut([{ from, to }]));
}
