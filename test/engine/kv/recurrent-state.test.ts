/** What the cache takes for granted of models that carry a state: one test a fact. A new release must pass them all. */
import { afterAll, describe, expect, test } from "vitest";
import { closeLlama } from "../../../src-main/engine/llama/load-llama.ts";
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

describe.each(["recurrent", "hybrid"] as const)("a %s model", (variant) => {
  const prompt = anyTokens(300);
  const more = anyTokens(20, 5);

  /** What comes after the prompt and more, never having left the cells. */
  async function expectedAnswer(context: RawContext): Promise<number[]> {
    context.sequences.remove(0);
    await context.compute(prompt);
    return await context.goOn(more, prompt.length, 12);
  }

  test("keeps one state, that after the last token", async () => {
    await using context = await RawContext.openTiny({ variant });
    await context.compute(prompt);
    expect(context.sequences.positions(0)).toEqual({ first: 299, last: 299 });
  });

  test("is not truncated, and goes on from where it was", async () => {
    await using context = await RawContext.openTiny({ variant });
    const expected = await expectedAnswer(context);
    context.sequences.remove(0);
    await context.compute(prompt);
    expect(context.sequences.remove(0, 299)).toBe(false);
    expect(context.sequences.positions(0)).toEqual({ first: 299, last: 299 });
    expect(await context.goOn(more, prompt.length, 12)).toEqual(expected);
  });

  test("goes on exactly from a saved state, whatever was computed in between", async () => {
    await using context = await RawContext.openTiny({ variant });
    const expected = await expectedAnswer(context);
    context.sequences.remove(0);
    await context.compute(prompt);
    const state = await states.save(context);
    expect(await context.goOn(more, prompt.length, 12)).toEqual(expected);
    context.sequences.remove(0);
    await context.compute(anyTokens(400, 8));
    await states.load(context, state);
    expect(context.sequences.positions(0)).toEqual({ first: 299, last: 299 });
    expect(await context.goOn(more, prompt.length, 12)).toEqual(expected);
  });

  test("begins anew behind an emptied sequence", async () => {
    await using context = await RawContext.openTiny({ variant });
    const expected = await expectedAnswer(context);
    await context.compute(anyTokens(50, 9), prompt.length + more.length + 11);
    expect(context.sequences.remove(0)).toBe(true);
    expect(context.sequences.positions(0)).toBeNull();
    expect(await expectedAnswer(context)).toEqual(expected);
  });

  test("has no hidden ids: nothing can be shared with one, nor loaded into it", async () => {
    await using context = await RawContext.openTiny({ variant });
    const expected = await expectedAnswer(context);
    context.sequences.remove(0);
    await context.compute(prompt);
    const state = await states.save(context);
    await context.sequences.copy(7, 0);
    expect(context.sequences.positions(7)?.first ?? -1).toBe(variant === "hybrid" ? 0 : -1);
    expect(context.sequences.remove(7)).toBe(false);
    await expect(states.load(context, state, 7)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    expect(await context.goOn(more, prompt.length, 12)).toEqual(expected);
  });

  test("loads a state of another model of the same shape, and is wrong: only the fingerprint keeps us from it", async () => {
    let state: Buffer;
    {
      await using context = await RawContext.openTiny({ variant, seed: 2 });
      await context.compute(prompt);
      state = await states.save(context);
    }
    await using context = await RawContext.openTiny({ variant });
    const expected = await expectedAnswer(context);
    await states.load(context, state);
    expect(await context.goOn(more, prompt.length, 12)).not.toEqual(expected);
  });
});
