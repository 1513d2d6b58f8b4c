import { describe, expect, test } from "vitest";
import type { CacheType } from "../../../src-main/contract/model-settings.ts";
import { cacheShape, type CacheShape } from "../../../src-main/gguf/cache-shape.ts";
import {
  cacheBytes,
  kvBytesPerToken,
  mostTokensWithin,
  totalBytes,
  type ContextChoice,
} from "../../../src-main/gguf/memory-plan.ts";
import { attentionHeader, headerOf } from "../../helpers/gguf-shapes.ts";

const choice: ContextChoice = {
  contextTokens: 2_048,
  users: 1,
  keyType: "f16",
  valueType: "f16",
  flashAttention: true,
  chunkTokens: 256,
};
const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;

function shapeOf(header: Parameters<typeof cacheShape>[0]): CacheShape {
  const shape = cacheShape(header);
  if (shape === null) throw new Error("The header says too little.");
  return shape;
}

/** Layers that all keep every token. */
function plain(layers: number, kvHeads: number, headSize: number): CacheShape {
  return shapeOf(
    headerOf({
      "llama.block_count": layers,
      "llama.embedding_length": kvHeads * headSize,
      "llama.attention.head_count": kvHeads,
    }),
  );
}

describe("bytes a token, as the lab's chapter has them", () => {
  test("24 layers, 2 kv heads of 64, two bytes: 12,288; 295 tokens: 3,624,960", () => {
    const perToken = kvBytesPerToken(shapeOf(attentionHeader(2)), choice);
    expect(perToken).toBe(12_288);
    expect(295 * perToken).toBe(3_624_960);
  });

  test("only resident tokens count: 32 × 2,048 = 64 × 1,024 = 128 × 512 = 65,536 tokens, 768 MiB", () => {
    const shape = shapeOf(attentionHeader(2));
    const users = [32, 64, 128];
    const all = users.map((count) => cacheBytes(shape, { ...choice, users: count, contextTokens: 65_536 / count }));
    expect(all).toEqual(users.map(() => 768 * mebibyte));
  });

  test("all 14 heads kept take 7 times as much, one half", () => {
    const shapes = [2, 14, 1].map((heads) => shapeOf(attentionHeader(heads)));
    expect(shapes.map((shape) => kvBytesPerToken(shape, choice))).toEqual([12_288, 86_016, 6_144]);
    expect(shapes.map(({ attention }) => attention)).toEqual(["gqa", "mha", "mqa"]);
  });

  test("a 7B model's cache takes 131,072 bytes a token, and more than its 13.04 GiB before 128,000 tokens", () => {
    const perToken = kvBytesPerToken(plain(32, 8, 128), choice);
    const weightsBytes = 7e9 * 2;
    expect(perToken).toBe(131_072);
    expect((weightsBytes / gibibyte).toFixed(2)).toBe("13.04");
    expect(Math.ceil(weightsBytes / perToken)).toBe(106_812);
    expect(128_000 * perToken).toBeGreaterThan(weightsBytes);
  });
});

describe("capacity, as the lab's chapter has it", () => {
  const bits = { fp16: 16, int8: 8, int4: 4.125 } as const;
  const models = {
    "7B": { parameters: 7e9, perToken: kvBytesPerToken(plain(32, 8, 128), choice) },
    "13B": { parameters: 13e9, perToken: kvBytesPerToken(plain(40, 40, 128), choice) },
    "70B": { parameters: 70e9, perToken: kvBytesPerToken(plain(80, 8, 128), choice) },
  } as const;
  const reserveBytes = 1.5 * gibibyte;

  function capacity(gibibytes: number, model: keyof typeof models, format: keyof typeof bits): number {
    const { parameters, perToken } = models[model];
    const fixed = (parameters * bits[format]) / 8 + reserveBytes;
    return mostTokensWithin(gibibytes * gibibyte, (tokens) => fixed + tokens * perToken, 1);
  }

  test("bytes a token", () => {
    expect(Object.values(models).map(({ perToken }) => perToken)).toEqual([131_072, 819_200, 327_680]);
  });

  test.each([
    [8, "13B", "int4", 337],
    [16, "7B", "int8", 65_378],
    [16, "13B", "int8", 3_136],
  ] as const)("%i GiB, %s %s: %i tokens", (memory, model, format, tokens) => {
    expect(capacity(memory, model, format)).toBe(tokens);
  });

  test.each([
    [8, "fp16", [0, 0, 0]],
    [8, "int8", [0, 0, 0]],
    [8, "int4", [25_710, 337, 0]],
    [16, "fp16", [11_972, 0, 0]],
    [16, "int8", [65_378, 3_136, 0]],
    [16, "int4", [91_246, 10_822, 0]],
    [24, "fp16", [77_508, 0, 0]],
    [24, "int8", [130_914, 13_622, 0]],
    [24, "int4", [156_782, 21_308, 0]],
  ] as const)("%i GiB of %s: 7B, 13B, 70B", (memory, format, tokens) => {
    const names = ["7B", "13B", "70B"] as const;
    expect(names.map((model) => capacity(memory, model, format))).toEqual(tokens);
  });
});

describe("cells", () => {
  const shape = shapeOf(attentionHeader(2));

  test("are allocated in blocks of 256 for every user", () => {
    const bytes = (contextTokens: number, users = 1) => cacheBytes(shape, { ...choice, contextTokens, users });
    expect(bytes(1)).toBe(256 * 12_288);
    expect(bytes(257)).toBe(512 * 12_288);
    expect(bytes(257, 3)).toBe(3 * 512 * 12_288);
  });

  test("take 34 / 32 bytes an element as Q8_0 and 18 / 32 as Q4_0, keys and values each for themselves", () => {
    const bytes = (keyType: CacheType, valueType: CacheType) =>
      kvBytesPerToken(shape, { ...choice, keyType, valueType });
    expect(bytes("q8_0", "q8_0")).toBe((12_288 / 2) * (34 / 32));
    expect(bytes("q8_0", "q4_0")).toBe((12_288 / 4) * (34 / 32 + 18 / 32));
  });
});

describe("a window", () => {
  const gemma = headerOf({
    "general.architecture": "gemma3",
    "gemma3.block_count": 6,
    "gemma3.embedding_length": 1_152,
    "gemma3.attention.head_count": 4,
    "gemma3.attention.head_count_kv": 1,
    "gemma3.attention.key_length": 256,
    "gemma3.attention.value_length": 256,
    "gemma3.attention.sliding_window": 512,
  });

  test("holds itself and a chunk, padded, whatever the context", () => {
    const shape = shapeOf(gemma);
    const layerBytes = 2 * 256 * 2;
    const windowCells = 768;
    expect(cacheBytes(shape, { ...choice, contextTokens: 16_384 })).toBe((16_384 + 5 * windowCells) * layerBytes);
    expect(cacheBytes(shape, { ...choice, contextTokens: 256 })).toBe(6 * 256 * layerBytes);
  });

  test("makes long contexts cheap: what fits grows with the layers that keep everything", () => {
    const model = {
      weightsBytes: 0,
      cache: shapeOf(gemma),
      compute: { vocabulary: 0, embedding: 0, feedForward: 0, heads: 0, kvWidth: 0, windowTokens: 0 },
    };
    const bytesAt = (contextTokens: number) => cacheBytes(model.cache, { ...choice, contextTokens });
    const tokens = mostTokensWithin(64 * mebibyte, bytesAt);
    expect(bytesAt(tokens)).toBeLessThanOrEqual(64 * mebibyte);
    expect(bytesAt(tokens + 256)).toBeGreaterThan(64 * mebibyte);
    expect(tokens).toBe(61_696);
  });
});

test("latent attention keeps one vector a token, and no values", () => {
  const deepseek = headerOf({
    "general.architecture": "deepseek2",
    "deepseek2.block_count": 27,
    "deepseek2.embedding_length": 2_048,
    "deepseek2.attention.head_count": 16,
    "deepseek2.attention.head_count_kv": 1,
    "deepseek2.attention.kv_lora_rank": 512,
    "deepseek2.attention.key_length": 576,
    "deepseek2.attention.value_length": 512,
    "deepseek2.attention.key_length_mla": 192,
    "deepseek2.attention.value_length_mla": 128,
  });
  const shape = shapeOf(deepseek);
  expect(shape.attention).toBe("mla");
  expect(kvBytesPerToken(shape, choice)).toBe(27 * 576 * 2);
});

test("a state takes the same for any context, once for every user", () => {
  const mamba = headerOf({
    "general.architecture": "mamba",
    "mamba.block_count": 2,
    "mamba.embedding_length": 128,
    "mamba.attention.head_count": 0,
    "mamba.ssm.conv_kernel": 4,
    "mamba.ssm.inner_size": 256,
    "mamba.ssm.state_size": 16,
  });
  const bytes = (contextTokens: number, users: number) =>
    cacheBytes(shapeOf(mamba), { ...choice, contextTokens, users });
  expect(bytes(256, 1)).toBe(2 * 256 * (3 + 16) * 4);
  expect(bytes(65_536, 1)).toBe(bytes(256, 1));
  expect(bytes(256, 5)).toBe(5 * bytes(256, 1));
});

test("without flash attention values of layers of different width are as wide as the widest", () => {
  const uneven = shapeOf(
    headerOf({
      "llama.block_count": 2,
      "llama.embedding_length": 256,
      "llama.attention.head_count": 4,
      "llama.attention.head_count_kv": [4, 2],
    }),
  );
  expect(kvBytesPerToken(uneven, choice)).toBe((256 + 128) * 2 * 2);
  expect(kvBytesPerToken(uneven, { ...choice, flashAttention: false })).toBe((256 + 128 + 256 + 256) * 2);
});

test("what fits never exceeds the budget by a block, and nothing fits where the weights do not", () => {
  const model = {
    weightsBytes: 1e9,
    cache: shapeOf(attentionHeader(2)),
    compute: { vocabulary: 32_000, embedding: 896, feedForward: 4_864, heads: 14, kvWidth: 128, windowTokens: 0 },
  };
  const bytesAt = (contextTokens: number) => totalBytes(model, { ...choice, flashAttention: false, contextTokens });
  const tokens = mostTokensWithin(2e9, bytesAt);
  expect(tokens % 256).toBe(0);
  expect(bytesAt(tokens)).toBeLessThanOrEqual(2e9);
  expect(bytesAt(tokens + 256)).toBeGreaterThan(2e9);
  expect(mostTokensWithin(0.9e9, bytesAt)).toBe(0);
});
