import { describe, expect, test } from "vitest";
import type { GgufHeader, GgufScalar } from "../../../src-main/gguf/gguf-header.ts";
import { summarizeGguf, type EngineKnowledge } from "../../../src-main/gguf/gguf-summary.ts";

const engine: EngineKnowledge = {
  knowsArchitecture: (architecture) => architecture !== "newest",
  tensorType: (type) => (type === 2 ? { blockElements: 32, blockBytes: 18 } : null),
  quantization: (fileType) => (fileType === 15 ? "Q4_K_M" : null),
};

type MetadataValue = GgufHeader["metadata"] extends ReadonlyMap<string, infer Value> ? Value : never;

interface HeaderOptions {
  readonly metadata?: Readonly<Record<string, GgufScalar>>;
  readonly sizeBytes?: number;
  readonly tensorType?: number;
  readonly vocabularySize?: number;
}

/** A header of one tensor of 64 × 32 elements at 1,000: it ends at 1,000 + 2,048 / 32 · 18 = 2,152. */
function header({
  metadata = {},
  sizeBytes = 2_152,
  tensorType = 2,
  vocabularySize = 100,
}: HeaderOptions = {}): GgufHeader {
  const values = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "general.file_type": 15,
    "llama.context_length": 8_192,
    "llama.block_count": 30,
    "tokenizer.ggml.model": "gpt2",
    ...metadata,
  };
  return {
    metadata: new Map<string, MetadataValue>([
      ["tokenizer.ggml.tokens", { length: vocabularySize, numbers: null }],
      ...Object.entries(values),
    ]),
    tensors: [{ name: "output.weight", shape: [64, 32], type: tensorType, offsetBytes: 1_000 }],
    sizeBytes,
  };
}

test("says what the model is", () => {
  expect(summarizeGguf(header(), "/models/a.gguf", engine)).toEqual({
    name: "Tiny",
    architecture: "llama",
    quantization: "Q4_K_M",
    trainedContextTokens: 8_192,
    layers: 30,
    sizeBytes: 2_152,
  });
});

test("tells the licence as the file writes it, and nothing that is no text for a reader", () => {
  const licence = (text: string) =>
    summarizeGguf(header({ metadata: { "general.license": text } }), "a", engine).licence;
  expect(licence("apache-2.0")).toBe("apache-2.0");
  expect(licence("mit\u0000")).toBe("mit?");
});

test("takes the file's name where the model has none, and leaves open what the file does not say", () => {
  const bare = header({ metadata: { "general.name": " ", "general.file_type": 99, "llama.block_count": "many" } });
  expect(summarizeGguf(bare, "/models/Some-Model.Q4_0.gguf", engine)).toMatchObject({
    name: "Some-Model.Q4_0",
    quantization: null,
    layers: null,
  });
});

test("one byte short of the last tensor's end is incomplete", () => {
  expect(() => summarizeGguf(header({ sizeBytes: 2_151 }), "a", engine)).toThrow("it is incomplete");
});

test("says how much is missing", () => {
  const cut = { ...header(), tensors: [{ name: "t", shape: [32 * 1_000_000], type: 2, offsetBytes: 0 }] };
  expect(() => summarizeGguf(cut, "a", engine)).toThrow("it is incomplete: its last 18 MB are missing");
});

describe("refuses", () => {
  test.each<[string, HeaderOptions, string]>([
    ["no architecture", { metadata: { "general.architecture": "" } }, "it does not say which architecture it has"],
    [
      "an architecture of the future",
      { metadata: { "general.architecture": "newest" } },
      "its architecture, newest, is",
    ],
    ["a tensor type of the future", { tensorType: 77 }, "its tensor output.weight has a type unknown"],
    ["an adapter", { metadata: { "general.type": "adapter" } }, "it holds an adapter"],
    ["a picture reader", { metadata: { "general.architecture": "clip" } }, "it holds the picture reader"],
    ["an embedding model", { metadata: { "llama.attention.causal": false } }, "it is made for other work"],
    ["a model without words", { vocabularySize: 0 }, "it has no tokenizer"],
    ["a model without a tokenizer", { metadata: { "tokenizer.ggml.model": "" } }, "it has no tokenizer"],
    ["more layers than the engine survives", { metadata: { "llama.block_count": 513 } }, "it claims 513 layers"],
  ])("%s", (_, options, reason) => {
    expect(() => summarizeGguf(header(options), "a", engine)).toThrow(reason);
  });

  test("a file without weights", () => {
    expect(() => summarizeGguf({ ...header(), tensors: [] }, "a", engine)).toThrow("it holds no weights");
  });
});
