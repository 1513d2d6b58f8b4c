/** What the engine takes for granted of the library: one test a fact, named after it. A new release must pass them all. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, test } from "vitest";
import { readGgufHeader } from "../../../src-main/gguf/gguf-header.ts";
import { kvRowBytes } from "../../../src-main/gguf/kv-shape.ts";
import { closeLlama, engineLibrary } from "../../../src-main/engine/llama/load-llama.ts";
import { nativeContext } from "../../../src-main/engine/llama/native.ts";
import { OpenModel } from "../../../src-main/engine/llama/open-model.ts";
import { continuation, greedySampling } from "../../helpers/greedy.ts";
import { openOptions, openTinyModel, sharedLlama } from "../../helpers/open-tiny-model.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { tinyGguf, writeTinyGguf } from "../../helpers/tiny-gguf.ts";

afterAll(async () => {
  await closeLlama(await sharedLlama());
});

/** Token ids of ordinary text, `length` of them. */
function tokensOf({ vocabulary }: OpenModel, length: number, start = 0): number[] {
  const words = ["water", "people", "time", "the", "world", "cache", "hello", "model", "about", "memory"];
  const text = Array.from({ length }, (_, index) => words[(start + index * index) % words.length]).join(" ");
  return vocabulary.tokenize(text, { special: false }).slice(0, length);
}

test("the installed library is the one the engine was built on", async () => {
  const entry = createRequire(import.meta.url).resolve("node-llama-cpp");
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(entry), "../package.json"), "utf8"));
  const { llama } = await sharedLlama();
  expect(manifest).toMatchObject({ version: engineLibrary.name.split(" ")[1] });
  expect(`llama.cpp ${llama.llamaCppRelease.release}`).toBe(engineLibrary.release);
});

describe("a context with one stream", () => {
  test("computes tokens at the positions given, and says where their logits are", async () => {
    await using model = await openTinyModel();
    const tokens = tokensOf(model, 20);
    expect(await model.context.computeChunk(0, tokens, true)).toBe(19);
    expect(await model.context.computeChunk(20, tokens.slice(0, 5), false)).toBeNull();
    expect(await model.context.computeToken(25, tokens[0] ?? 0)).toBe(0);
    expect(model.context.firstPosition).toBe(0);
  });

  test("gives the same tokens in chunks as in one piece", async () => {
    await using model = await openTinyModel();
    const prompt = tokensOf(model, 200);
    const whole = await continuation(model, prompt, { chunkTokens: 200 });
    model.context.clear();
    expect(await continuation(model, prompt, { chunkTokens: 37 })).toEqual(whole);
  });

  test("takes no more than a chunk at once", async () => {
    await using model = await openTinyModel();
    const tooMany = tokensOf(model, model.context.chunkTokens + 1);
    await expect(model.context.computeChunk(0, tooMany, true)).rejects.toThrow("Invalid batch size");
  });

  test("never shifts: beyond its last cell computing fails with an error", async () => {
    await using model = await openTinyModel({}, { contextTokens: 256 });
    await model.context.computeChunk(0, tokensOf(model, 256), false);
    await expect(model.context.computeToken(256, 5)).rejects.toMatchObject({
      code: "ENGINE_FAILED",
      data: { reason: expect.stringContaining("could not find a KV slot") as unknown },
    });
  });

  test("frees the cells from a position on, and what is computed there is as if they had never been", async () => {
    await using model = await openTinyModel();
    const prompt = tokensOf(model, 100);
    const other = [...prompt.slice(0, 60), ...tokensOf(model, 40, 7)];
    const cold = await continuation(model, other);
    model.context.clear();
    await continuation(model, prompt);
    expect(model.context.truncate(60)).toBe(true);
    expect(await continuation(model, other.slice(60), { position: 60 })).toEqual(cold);
  });

  test("is empty after clearing", async () => {
    await using model = await openTinyModel();
    await continuation(model, tokensOf(model, 50));
    model.context.clear();
    expect(model.context.firstPosition).toBeNull();
  });

  test("keeps its cells through garbage collections: nothing of the library owns them", async () => {
    await using model = await openTinyModel();
    const prompt = tokensOf(model, 50);
    const expected = await continuation(model, prompt, { count: 8 });
    model.context.clear();
    const before = await continuation(model, prompt, { count: 4 });
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let time = 0; time < 5; time += 1) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(model.context.firstPosition).toBe(0);
    const last = before.at(-1) ?? 0;
    model.context.truncate(53);
    expect([...before, ...(await continuation(model, [last], { position: 53, count: 4 }))]).toEqual(expected);
  });
});

describe("layers with a sliding window", () => {
  const window = { variant: "sliding-window", windowTokens: 64 } as const;

  test("lose early positions, and the library says which is the first left", async () => {
    await using model = await openTinyModel(window);
    await continuation(model, tokensOf(model, 900), { chunkTokens: 256, count: 1 });
    expect(model.context.firstPosition).toBeGreaterThan(0);
    expect(model.context.firstPosition).toBeLessThanOrEqual(900 - 64);
  });

  test("truncating within what they hold is exact", async () => {
    await using model = await openTinyModel(window);
    const prompt = tokensOf(model, 900);
    const other = [...prompt.slice(0, 880), ...tokensOf(model, 20, 3)];
    const cold = await continuation(model, other, { chunkTokens: 220 });
    model.context.clear();
    await continuation(model, prompt, { chunkTokens: 220, count: 1 });
    expect(model.context.firstPosition).toBeLessThanOrEqual(880 - 64);
    model.context.truncate(880);
    expect(await continuation(model, other.slice(880), { position: 880 })).toEqual(cold);
  });

  test("truncating further reports success and goes on wrongly: only our rule keeps us from it", async () => {
    await using model = await openTinyModel(window);
    const prompt = tokensOf(model, 900);
    const other = [...prompt.slice(0, 300), ...tokensOf(model, 20, 3)];
    const cold = await continuation(model, other, { chunkTokens: 256 });
    model.context.clear();
    await continuation(model, prompt, { chunkTokens: 256, count: 1 });
    expect(model.context.firstPosition).toBeGreaterThan(300 - 64);
    expect(model.context.truncate(300)).toBe(true);
    expect(await continuation(model, other.slice(300), { position: 300 })).not.toEqual(cold);
    expect(model.resumeRule).toEqual({ kind: "within-window", windowTokens: 64 });
  });
});

describe("the sampler", () => {
  const random = { ...greedySampling, temperature: 1.5, topK: 100, topP: 1, minP: 0 };

  test("temperature 0 takes the likeliest token whatever the seed", async () => {
    await using model = await openTinyModel();
    const prompt = tokensOf(model, 40);
    const first = await continuation(model, prompt);
    model.context.clear();
    expect(await continuation(model, prompt, { sampling: { ...greedySampling, seed: 99 } })).toEqual(first);
  });

  test("the same seed chooses the same tokens, another one others", async () => {
    await using model = await openTinyModel();
    const prompt = tokensOf(model, 40);
    const answers: number[][] = [];
    for (const seed of [7, 7, 8, 0xffff_ffff]) {
      model.context.clear();
      answers.push(await continuation(model, prompt, { sampling: { ...random, seed } }));
    }
    const [first, again, other, largest] = answers;
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(largest).not.toEqual(first);
  });

  test("topK 1 leaves nothing to chance", async () => {
    await using model = await openTinyModel();
    const prompt = tokensOf(model, 40);
    const greedy = await continuation(model, prompt);
    model.context.clear();
    expect(await continuation(model, prompt, { sampling: { ...random, topK: 1, seed: 5 } })).toEqual(greedy);
  });

  test.each([{ topP: 0.000_1 }, { minP: 1 }])("%o leaves only the likeliest", async (narrow) => {
    await using model = await openTinyModel();
    const prompt = tokensOf(model, 40);
    const greedy = await continuation(model, prompt);
    model.context.clear();
    expect(await continuation(model, prompt, { sampling: { ...random, ...narrow, seed: 5 } })).toEqual(greedy);
  });

  test("the repeat penalty counts the prompt's tokens and those it chose itself", async () => {
    await using model = await openTinyModel();
    const prompt = tokensOf(model, 40);
    const penalized = { ...greedySampling, repeatPenalty: 2, repeatPenaltyTokens: 4_096 };
    const plain = await continuation(model, prompt, { count: 60 });
    model.context.clear();
    const varied = await continuation(model, prompt, { count: 60, sampling: penalized });
    expect(new Set(varied).size).toBeGreaterThan(new Set(plain).size);
    model.context.clear();
    expect(await continuation(model, prompt, { sampling: { ...penalized, repeatPenaltyTokens: 0 } })).toEqual(
      plain.slice(0, 16),
    );
  });
});

describe("the log tells the memory's layout", () => {
  test("exactly, with grouped-query attention: cells times the rows of all layers", async () => {
    await using model = await openTinyModel({ layers: 3, heads: 4, keyValueHeads: 1 }, { contextTokens: 1_000 });
    // Padded to 256: 1,024 cells; a row is 1 head × (32 + 32) × 2 bytes.
    expect(model.context.layout).toEqual({
      full: { cells: 1_024, bytes: 1_024 * 3 * 128 },
      sliding: null,
      recurrentBytes: 0,
    });
    expect(model.context.contextTokens).toBe(1_000);
  });

  test("exactly, with a window: its layers keep the window and a chunk, padded to 256", async () => {
    const options = { variant: "sliding-window", layers: 4, windowTokens: 64 } as const;
    await using model = await openTinyModel(options, { contextTokens: 2_048 });
    const { full, sliding } = model.context.layout;
    expect(full).toEqual({ cells: 2_048, bytes: 2_048 * 2 * 256 });
    expect(sliding).toEqual({ cells: 512, bytes: 512 * 2 * 256 });
  });

  test("as cells grow in fact: a state's size grows by a row a token, and 12 bytes for its place", async () => {
    const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"));
    const { llama } = await sharedLlama();
    await using model = await llama.loadModel({ modelPath: path });
    await using context = await model.createContext({ contextSize: 1_024, batchSize: 128, flashAttention: true });
    const native = nativeContext(context);
    const sizes: number[] = [];
    for (const position of [0, 100, 200]) {
      native.initBatch(100);
      native.addToBatch(0, position, new Uint32Array(100).fill(50), new Uint32Array(0));
      await native.decodeBatch();
      sizes.push(context.stateSize);
    }
    const [first = 0, second = 0, third = 0] = sizes;
    const rows = kvRowBytes(readGgufHeader(path)) ?? [];
    const bytesPerToken = rows.reduce((sum, bytes) => sum + bytes, 0);
    expect([second - first, third - second]).toEqual([100 * (bytesPerToken + 12), 100 * (bytesPerToken + 12)]);
  });

  test("within what the context has allocated in all", async () => {
    await using model = await openTinyModel();
    expect(model.context.allocatedBytes).toBeGreaterThan(model.context.layout.full?.bytes ?? Infinity);
  });
});

describe("the vocabulary", () => {
  test("knows control tokens as such, and ends the answer with two of them", async () => {
    await using model = await openTinyModel();
    const { vocabulary } = model;
    expect(vocabulary.specialTexts).toEqual(["<|endoftext|>", "<|im_start|>", "<|im_end|>"]);
    const ids = vocabulary.specialTexts.map((text) => vocabulary.tokenize(text, { special: true }));
    expect(ids).toEqual([[0], [1], [2]]);
    expect([0, 1, 2].map((token) => vocabulary.isEndOfGeneration(token))).toEqual([true, false, true]);
    expect(vocabulary.tokenize("<|im_end|>", { special: false }).length).toBeGreaterThan(1);
    expect(vocabulary).toMatchObject({ bosText: "<|im_start|>", eosText: "<|im_end|>", addsBos: false });
  });

  test("spells text back from the bytes of its tokens", async () => {
    await using model = await openTinyModel();
    const text = "hello, what is 水? Prices: 3 €  — “fine” 👩‍🚀\n\tthe end";
    const tokens = model.vocabulary.tokenize(text, { special: false });
    expect(Buffer.concat(tokens.map((token) => model.vocabulary.bytesOf(token))).toString()).toBe(text);
  });

  test("has neither bytes nor an end for ids outside of it, which would end the process", async () => {
    await using model = await openTinyModel();
    for (const token of [model.vocabulary.size, 4_000_000_000, -1, 0.5]) {
      expect(model.vocabulary.bytesOf(token)).toHaveLength(0);
      expect(model.vocabulary.isEndOfGeneration(token)).toBe(false);
    }
  });
});

describe("loading", () => {
  test("reports its progress up to the end", async () => {
    const fractions: number[] = [];
    await using model = await openTinyModel({}, { onProgress: (fraction) => fractions.push(fraction) });
    expect(model.summary.name).toBe("Tiny");
    expect(fractions.at(-1)).toBe(1);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  });

  test("ends with the signal's reason when it is given up", async () => {
    const signal = AbortSignal.abort(new Error("never mind"));
    await expect(openTinyModel({}, { signal })).rejects.toThrow("never mind");
  });

  test("refuses weights that are no numbers on the first load, and only then", async () => {
    const bytes = tinyGguf();
    bytes.fill(0xff, bytes.length - 4_096, bytes.length - 32);
    const path = join(temporaryFolder(), "broken.gguf");
    writeFileSync(path, bytes);
    const llama = await sharedLlama();
    await expect(OpenModel.open(llama, path, { ...openOptions, checkTensors: true })).rejects.toMatchObject({
      code: "MODEL_INVALID",
      data: { reason: expect.stringContaining("tensor") as unknown },
    });
    await using model = await OpenModel.open(llama, path, { ...openOptions, checkTensors: false });
    expect(model.weightsBytes).toBeGreaterThan(0);
  });

  test("says why in llama.cpp's own words", async () => {
    const bytes = Buffer.from(tinyGguf());
    const key = "llama.feed_forward_length";
    bytes.writeUInt32LE(12_345, bytes.indexOf(key) + key.length + 4);
    const path = join(temporaryFolder(), "odd.gguf");
    writeFileSync(path, bytes);
    await expect(OpenModel.open(await sharedLlama(), path, openOptions)).rejects.toMatchObject({
      code: "MODEL_INVALID",
      data: { reason: expect.stringContaining("wrong shape") as unknown },
    });
  });
});
