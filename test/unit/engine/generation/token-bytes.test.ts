import { describe, expect, test } from "vitest";
import { tokenBytes } from "../../../../src-main/engine/generation/token-bytes.ts";

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe("the bytes of a byte-level token", () => {
  test("a raised letter stands for the space", () => {
    expect(textOf(tokenBytes("Ġhello", "normal", "byte-level"))).toBe(" hello");
  });

  test("newline, tab and Latin letters come back as their bytes", () => {
    expect(textOf(tokenBytes("Ċĉa", "normal", "byte-level"))).toBe("\n\ta");
    expect(textOf(tokenBytes("Ã©", "normal", "byte-level"))).toBe("é");
  });

  test("a part of a character stays a part", () => {
    expect([...tokenBytes("ðŁ", "normal", "byte-level")]).toEqual([0xf0, 0x9f]);
  });

  test("every byte has one letter of its own", () => {
    const letters = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code));
    const bytes = letters
      .map((letter) => tokenBytes(letter, "normal", "byte-level"))
      .filter(({ length }) => length === 1);
    expect(new Set(bytes.map(([byte]) => byte)).size).toBe(256);
  });

  test("text outside the alphabet stands for itself", () => {
    expect(textOf(tokenBytes("日本", "normal", "byte-level"))).toBe("日本");
  });
});

describe("the bytes of a SentencePiece token", () => {
  test("the low line stands for the space, also the leading one", () => {
    expect(textOf(tokenBytes("▁hello▁you", "normal", "sentence-piece"))).toBe(" hello you");
  });

  test("a byte token is one byte", () => {
    expect([...tokenBytes("<0xE2>", "byte", "sentence-piece")]).toEqual([0xe2]);
  });

  test("a byte written by an ordinary token is text", () => {
    expect(textOf(tokenBytes("<0xE2>", "normal", "sentence-piece"))).toBe("<0xE2>");
  });
});

test.each(["control", "unknown", "unused"] as const)("a token of kind %s has no text", (kind) => {
  expect(tokenBytes("<|im_end|>", kind, "byte-level")).toHaveLength(0);
});

test("a user-defined token is the text it was defined as", () => {
  expect(textOf(tokenBytes("<think>Ġ▁", "user-defined", "byte-level"))).toBe("<think>Ġ▁");
});
