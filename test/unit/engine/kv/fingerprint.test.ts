import { describe, expect, test } from "vitest";
import {
  attentionRotation,
  changedParts,
  fingerprint,
  type FingerprintParts,
} from "../../../../src-main/engine/kv/fingerprint.ts";
import { sampleParts } from "../../../helpers/fingerprint-parts.ts";

const changes: Partial<FingerprintParts>[] = [
  { weights: "34".repeat(32) },
  { release: "llama.cpp v2" },
  { backend: "cuda" },
  { keyType: "q8_0" },
  { valueType: "q8_0" },
  { rope: { ...sampleParts.rope, frequencyBase: 10_000 } },
  { rope: { ...sampleParts.rope, frequencyScale: 0.5 } },
  { rope: { ...sampleParts.rope, factors: "long" } },
  { loras: [{ weights: "56".repeat(32), scale: 1 }] },
  { loras: [{ weights: "56".repeat(32), scale: 0.5 }] },
  { attentionRotation: false },
  { snapshotValues: "by-row" },
  { snapshotValues: "by-column" },
];

describe("a fingerprint", () => {
  test("is another one for every change that changes what cells hold", () => {
    const all = [sampleParts, ...changes.map((change) => ({ ...sampleParts, ...change }))].map(fingerprint);
    expect(new Set(all).size).toBe(all.length);
    for (const each of all) expect(each).toMatch(/^[0-9a-f]{64}$/);
  });

  test("does not depend on the order in which its parts were written down", () => {
    const reversed = Object.fromEntries(Object.entries(sampleParts).reverse()) as unknown as FingerprintParts;
    expect(fingerprint(reversed)).toBe(fingerprint(sampleParts));
  });

  test("names the parts by which two differ", () => {
    expect(changedParts(sampleParts, sampleParts)).toEqual([]);
    expect(changedParts(sampleParts, { ...sampleParts, release: "llama.cpp v2", keyType: "q8_0" })).toEqual([
      "release",
      "keyType",
    ]);
    for (const change of changes)
      expect(changedParts(sampleParts, { ...sampleParts, ...change })).toEqual(Object.keys(change));
  });
});

test.each([
  [undefined, true],
  ["", true],
  ["0", true],
  ["1", false],
  ["2x", false],
  ["yes", true],
])("LLAMA_ATTN_ROT_DISABLE=%s is read as llama.cpp reads it", (value, expected) => {
  expect(attentionRotation({ LLAMA_ATTN_ROT_DISABLE: value })).toBe(expected);
});
