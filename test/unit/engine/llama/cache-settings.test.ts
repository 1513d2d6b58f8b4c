import { describe, expect, test } from "vitest";
import { cacheSettings } from "../../../../src-main/engine/llama/cache-settings.ts";
import { codedError } from "../../../helpers/coded-error.ts";
import { ggufHeaderOf } from "../../../helpers/gguf-header-of.ts";

const path = "/models/some.gguf";
const usual = { keyType: "f16", valueType: "f16", flashAttention: "auto" } as const;
const shape = { block_count: 2, embedding_length: 512, "attention.head_count": 8 };

const header = (architecture: string, values: Readonly<Record<string, number>> = {}) =>
  ggufHeaderOf({
    "general.architecture": architecture,
    ...Object.fromEntries(
      Object.entries({ ...shape, ...values }).map(([key, value]) => [`${architecture}.${key}`, value]),
    ),
  });

const latent = { "attention.key_length": 576, "attention.value_length": 512, "attention.key_length_mla": 192 };

describe("flash attention", () => {
  test.each([
    ["auto", true],
    ["on", true],
    ["off", false],
  ] as const)("%s", (flashAttention, expected) => {
    expect(cacheSettings(header("llama"), { ...usual, flashAttention }, path)).toEqual({
      keyType: "f16",
      valueType: "f16",
      flashAttention: expected,
    });
  });

  test.each([
    ["an architecture that cannot", header("gemma2")],
    ["keys and values of different length", header("llama", { "attention.key_length": 128 })],
  ])("is left off by itself for %s, and refused where it is asked for or needed", (_, model) => {
    expect(cacheSettings(model, usual, path).flashAttention).toBe(false);
    const refused = codedError("OPTIONS_REFUSED", { problem: "no-flash-attention", file: "some.gguf" });
    expect(() => cacheSettings(model, { ...usual, flashAttention: "on" }, path)).toThrow(refused);
    expect(() => cacheSettings(model, { ...usual, valueType: "q8_0" }, path)).toThrow(refused);
    expect(cacheSettings(model, { ...usual, keyType: "q8_0" }, path).keyType).toBe("q8_0");
  });
});

test("a quantized type needs heads of whole blocks, those of layers with a window too", () => {
  const refused = codedError("OPTIONS_REFUSED", { problem: "cache-type-does-not-fit" });
  const ofWindow = header("gemma4", { "attention.key_length_swa": 48 });
  expect(() => cacheSettings(ofWindow, { ...usual, keyType: "q8_0" }, path)).toThrow(refused);
  expect(cacheSettings(ofWindow, { ...usual, valueType: "q4_0" }, path).valueType).toBe("q4_0");
  expect(cacheSettings(ofWindow, usual, path).keyType).toBe("f16");
});

test("where values are a part of the keys, both have one type", () => {
  expect(() => cacheSettings(header("deepseek2", latent), { ...usual, keyType: "q8_0" }, path)).toThrow(
    codedError("OPTIONS_REFUSED", { problem: "cache-types-differ" }),
  );
});
