/** However keys and values are kept, a conversation that comes from the store goes on as if it had never left. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newId } from "../../../src-main/contract/id.ts";
import type { CacheType, LoadOptions } from "../../../src-main/contract/model-settings.ts";
import { CachedChat, cheapRestore, inPlaceAfter, longText } from "../../helpers/cached-chat.ts";
import { codedError } from "../../helpers/coded-error.ts";
import { cacheOptions, engineInProcess, load, type Turn } from "../../helpers/engine-turns.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "../../helpers/tiny-gguf.ts";
import { writeTinyLora } from "../../helpers/tiny-lora.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });

type Options = Partial<LoadOptions>;

const first = longText(600);
const second = "and then?";
const tokens = 2_048;

/** Bytes of a row of the tiny model's two heads of 32, of keys or of values. */
const rowBytes: Readonly<Record<CacheType, number>> = { f16: 64 * 2, q8_0: 2 * 34, q4_0: 2 * 18 };
const layers = 2;

/** A model of a name of its own, and how to load it with a store of its own. */
async function storedModel(model: TinyModelOptions = {}) {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId(), ...model });
  const cacheFolder = temporaryFolder();
  const store = { isEnabled: true, budgetBytes: 1e9 };
  return async (options: Options) => {
    await load(client, path, { contextTokens: tokens, options, cacheFolder, store });
  };
}

/** The answers with nothing from before. */
async function uninterrupted(options: Options, model: TinyModelOptions = {}): Promise<string[]> {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId(), ...model });
  await load(client, path, { contextTokens: tokens, options });
  const chat = new CachedChat(client, newId());
  return [(await chat.send(first)).text, (await chat.send(second)).text];
}

async function restarted(loadWith: (options: Options) => Promise<void>, options: Options): Promise<void> {
  await client.unload();
  // Another folder: the file of the first is closed.
  await client.cache.open(cacheOptions());
  await loadWith(options);
}

interface Visit {
  readonly left: Turn;
  readonly elsewhere: Turn;
  readonly back: Turn;
}

/** A conversation begun under `options`, asked again after a restart under others, and taken on under the first ones. */
async function visitOther(options: Options, other: Options, model: TinyModelOptions = {}): Promise<Visit> {
  const loadWith = await storedModel(model);
  await loadWith(options);
  const chat = new CachedChat(client, newId());
  const left = await chat.send(first);
  const before = [...chat.messages];
  await restarted(loadWith, other);
  const elsewhere = await chat.regenerate();
  await restarted(loadWith, options);
  chat.messages = before;
  return { left, elsewhere, back: await chat.send(second) };
}

const types = ["f16", "q8_0", "q4_0"] as const;
const combinations = [
  ...types.flatMap((keyType) => types.map((valueType) => ({ keyType, valueType, flashAttention: "on" as const }))),
  ...types.map((keyType) => ({ keyType, valueType: "f16" as const, flashAttention: "off" as const })),
];

describe.each(combinations)("keys in $keyType, values in $valueType, flash attention $flashAttention", (options) => {
  test("restart, other settings, and back: token for token, all of it from the store", async () => {
    const expected = await uninterrupted(options);
    const other = { ...options, keyType: options.keyType === "f16" ? ("q8_0" as const) : ("f16" as const) };
    const { left, elsewhere, back } = await visitOther(options, other);
    expect([left.text, back.text]).toEqual(expected);
    expect(elsewhere.report).toMatchObject({
      fromResident: 0,
      fromStore: 0,
      divergence: { kind: "settings-changed" },
      shortfall: { kind: "store-stale" },
    });
    expect(back.report.fromStore).toBe(inPlaceAfter(left));
  });

  test("the memory report is exact to the byte", async () => {
    const loadWith = await storedModel();
    await loadWith(options);
    const { report } = await new CachedChat(client, newId()).send("hello");
    const perToken = layers * (rowBytes[options.keyType] + rowBytes[options.valueType]);
    expect(report.memory).toMatchObject({
      kvAllocated: tokens * perToken,
      kvBytesPerToken: perToken,
      kvLive: report.context.usedTokens * perToken,
    });
  });
});

test.each(["q8_0", "q4_0"] as const)("heads of 64, which llama.cpp keeps rotated in %s", async (type) => {
  const model = { heads: 2, keyValueHeads: 1 };
  const options = { keyType: type, valueType: type };
  const expected = await uninterrupted(options, model);
  const { left, elsewhere, back } = await visitOther(options, { ...options, valueType: "f16" }, model);
  expect([left.text, back.text]).toEqual(expected);
  expect(elsewhere.report.fromStore).toBe(0);
  expect(back.report.fromStore).toBe(inPlaceAfter(left));
});

test("models with a window keep whole states in these types too", async () => {
  const options = { keyType: "q8_0", valueType: "q4_0" } as const;
  const model = { variant: "sliding-window", layers: 4 } as const;
  const expected = await uninterrupted(options, model);
  const loadWith = await storedModel(model);
  await loadWith(options);
  const chat = new CachedChat(client, newId());
  const left = await chat.send(first);
  await restarted(loadWith, options);
  const back = await chat.send(second);
  expect([left.text, back.text]).toEqual(expected);
  expect(back.report.fromStore).toBe(left.report.context.usedTokens);
});

test("with flash attention and without, blocks are the same ones", async () => {
  const on = { keyType: "q8_0", flashAttention: "on" } as const;
  const loadWith = await storedModel();
  await loadWith(on);
  const chat = new CachedChat(client, newId());
  const left = await chat.send(first);
  await restarted(loadWith, { ...on, flashAttention: "off" });
  const back = await chat.send(second);
  expect(back.report).toMatchObject({
    fromStore: inPlaceAfter(left),
    divergence: { kind: "continues" },
    shortfall: { kind: "none" },
  });
});

describe("RoPE", () => {
  test.each([
    ["base", { ropeFrequencyBase: 20_000 }, { ropeFrequencyBase: 20_000 }],
    ["base that is no whole number", { ropeFrequencyBase: 12_345.5 }, { ropeFrequencyBase: 12_345.5 }],
    ["scale", { ropeFrequencyScale: 0.25 }, { ropeFactor: 4 }],
  ] as const)("another frequency %s gives what a file that says so gives", async (_, options, model) => {
    const expected = await uninterrupted({}, model);
    expect(await uninterrupted(options)).toEqual(expected);
    expect(await uninterrupted({})).not.toEqual(expected);
    const { left, elsewhere, back } = await visitOther(options, {});
    expect([left.text, back.text]).toEqual(expected);
    expect(elsewhere.report).toMatchObject({ fromStore: 0, divergence: { kind: "settings-changed" } });
    expect(back.report.fromStore).toBe(inPlaceAfter(left));
  });

  test("what the file says anyway changes nothing: its blocks serve", async () => {
    const { left, elsewhere } = await visitOther({}, { ropeFrequencyBase: 10_000, ropeFrequencyScale: 1 });
    expect(elsewhere.text).toBe(left.text);
    expect(elsewhere.report).toMatchObject({ divergence: { kind: "regenerated" }, shortfall: { kind: "none" } });
    expect(elsewhere.report.fromStore).toBe(elsewhere.report.promptTokens - 1);
  });

  test("stretched, the context may be larger than the model was trained for", async () => {
    const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { contextTokens: 512 });
    const options = { contextTokens: 1_024, ropeFrequencyScale: 0.5 };
    expect((await load(client, path, { contextTokens: 1_024 })).model.contextTokens).toBe(512);
    expect((await load(client, path, { options })).model.contextTokens).toBe(1_024);
    expect((await new CachedChat(client, newId()).send(first)).report.context.usedTokens).toBeGreaterThan(600);
  });
});

describe("LoRA adapters", () => {
  test("each strength has answers and blocks of its own", async () => {
    const path = await writeTinyLora(join(temporaryFolder(), "adapter.gguf"));
    const [full, half] = [{ loras: [{ path, scale: 1 }] }, { loras: [{ path, scale: 0.5 }] }];
    const expected = await uninterrupted(full);
    expect(await uninterrupted({})).not.toEqual(expected);
    expect(await uninterrupted(half)).not.toEqual(expected);
    const { left, elsewhere, back } = await visitOther(full, half);
    expect([left.text, back.text]).toEqual(expected);
    expect(elsewhere.report).toMatchObject({
      fromStore: 0,
      divergence: { kind: "settings-changed" },
      shortfall: { kind: "store-stale" },
    });
    expect(back.report.fromStore).toBe(inPlaceAfter(left));
  });

  test("another adapter under the same path is another one; none is the model itself", async () => {
    const path = await writeTinyLora(join(temporaryFolder(), "adapter.gguf"));
    const loadWith = await storedModel();
    const chat = new CachedChat(client, newId());
    await loadWith({});
    const plain = await chat.send(first);
    await loadWith({ loras: [{ path, scale: 1 }] });
    const one = await chat.regenerate();
    await writeTinyLora(path, { seed: 8 });
    await loadWith({ loras: [{ path, scale: 1 }] });
    const other = await chat.regenerate();
    expect(new Set([plain.text, one.text, other.text]).size).toBe(3);
    expect([one.report.fromStore, other.report.fromStore]).toEqual([0, 0]);
    // One without any strength is none.
    await loadWith({ loras: [{ path, scale: 0 }] });
    const again = await chat.regenerate();
    expect(again.text).toBe(plain.text);
    expect(again.report.fromStore).toBe(again.report.promptTokens - 1);
  });

  test("its weights are counted", async () => {
    const path = await writeTinyLora(join(temporaryFolder(), "adapter.gguf"));
    const model = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"));
    const weights = async (loras: LoadOptions["loras"]) => {
      await load(client, model, { options: { loras } });
      return (await new CachedChat(client, newId()).send("hello")).report.memory.weights;
    };
    const without = await weights([]);
    // 4 × (128 + 64) elements in F16.
    expect(await weights([{ path, scale: 1 }])).toBe(without + 4 * (128 + 64) * 2);
  });
});

describe("what cannot be is refused with a sentence", () => {
  async function refusal(options: Options, model: TinyModelOptions = {}): Promise<void> {
    await load(client, await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), model), { options });
  }

  test("values in a quantized type without flash attention", async () => {
    await expect(refusal({ valueType: "q8_0", flashAttention: "off" })).rejects.toThrow(
      codedError("OPTIONS_REFUSED", { problem: "values-need-flash-attention", file: "tiny.gguf" }),
    );
  });

  test.each([{ keyType: "q8_0" }, { valueType: "q4_0" }, { keyType: "q4_0", flashAttention: "off" }] as const)(
    "heads that are no multiple of 32, with %o",
    async (options) => {
      await expect(refusal(options, { heads: 8, keyValueHeads: 4 })).rejects.toThrow(
        codedError("OPTIONS_REFUSED", { problem: "cache-type-does-not-fit" }),
      );
    },
  );

  test("an adapter that is not there, is none, is of another model, or is named twice", async () => {
    const folder = temporaryFolder();
    const path = await writeTinyLora(join(folder, "adapter.gguf"));
    const other = await writeTinyLora(join(folder, "other.gguf"), { architecture: "qwen2" });
    const wide = await writeTinyLora(join(folder, "wide.gguf"), { embedding: 256 });
    const model = await writeTinyGguf(join(folder, "model.gguf"));
    const cases = [
      [[join(folder, "missing.gguf")], { problem: "adapter-missing", file: "missing.gguf" }],
      [[model], { problem: "adapter-unusable", file: "model.gguf" }],
      [[path, other], { problem: "adapter-of-other-model", file: "other.gguf" }],
      [[wide], { problem: "adapter-of-other-model", file: "wide.gguf" }],
      [[path, path], { problem: "adapter-twice", file: "adapter.gguf" }],
    ] as const;
    for (const [paths, data] of cases) {
      const loras = paths.map((each) => ({ path: each, scale: 1 }));
      await expect(refusal({ loras })).rejects.toThrow(codedError("OPTIONS_REFUSED", data));
    }
  });
});

test("threads that are given compute, and what was measured is kept beside them", async () => {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"));
  const tuning = { prefill: 1, decode: 1, measured: [] };
  const { model } = await load(client, path, { tuning, options: { threads: { prefill: 2, decode: 2 } } });
  expect(model.tuning).toEqual(tuning);
  expect((await new CachedChat(client, newId()).send("hello")).report.threads).toEqual({ prefill: 2, decode: 2 });
});

test("without a mapped file, and with locked weights, it answers the same", async () => {
  const expected = await uninterrupted({});
  expect(await uninterrupted({ useMmap: false })).toEqual(expected);
  expect(await uninterrupted({ useMlock: true })).toEqual(expected);
});
