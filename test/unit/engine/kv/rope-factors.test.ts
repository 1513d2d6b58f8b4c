import { describe, expect, test } from "vitest";
import type { GgufHeader } from "../../../../src-main/gguf/gguf-header.ts";
import { largestWithSameFactors, ropeFactors } from "../../../../src-main/engine/kv/rope-factors.ts";

function header(tensors: readonly string[], values: Record<string, number>): GgufHeader {
  return {
    metadata: new Map<string, string | number>([["general.architecture", "phi3"], ...Object.entries(values)]),
    tensors: tensors.map((name) => ({ name, shape: [48], type: 0, offsetBytes: 0 })),
    sizeBytes: 0,
  };
}

const both = ["rope_factors_long.weight", "rope_factors_short.weight", "token_embd.weight"];

describe("which RoPE factors a model takes", () => {
  const original = { "phi3.rope.scaling.original_context_length": 4_096, "phi3.context_length": 131_072 };

  test("depends on the size of the context where it has two sets", () => {
    expect(ropeFactors(header(both, original), 4_096)).toBe("short");
    expect(ropeFactors(header(both, original), 4_352)).toBe("long");
  });

  test("is measured by what it was trained for where it does not say what it was made for first", () => {
    expect(ropeFactors(header(both, { "phi3.context_length": 8_192 }), 8_192)).toBe("short");
    expect(ropeFactors(header(both, { "phi3.context_length": 8_192 }), 8_448)).toBe("long");
  });

  test("is no question where it has none", () => {
    expect(ropeFactors(header(["token_embd.weight", "rope_freqs.weight"], original), 100_000)).toBeNull();
  });

  test("bounds how far a context with cells in it may grow", () => {
    expect(largestWithSameFactors(header(both, original), 2_048)).toBe(4_096);
    expect(largestWithSameFactors(header(both, original), 8_192)).toBeNull();
    expect(largestWithSameFactors(header(["token_embd.weight"], original), 2_048)).toBeNull();
  });
});
