import fc from "fast-check";
import { expect, test } from "vitest";
import { Utf8Stream } from "../../../../src-main/engine/generation/utf8-stream.ts";

function pushAll(stream: Utf8Stream, pieces: readonly (readonly number[])[]): string[] {
  return pieces.map((piece) => stream.push(Uint8Array.from(piece)));
}

test("a character comes out when its last byte is there", () => {
  const stream = new Utf8Stream();
  expect(pushAll(stream, [[0xf0, 0x9f], [0x98], [0x80, 0x21]])).toEqual(["", "", "😀!"]);
});

test("it tells whether a character is under way", () => {
  const stream = new Utf8Stream();
  stream.push(Uint8Array.of(0xc3));
  expect(stream.isWhole).toBe(false);
  stream.push(Uint8Array.of(0xa9));
  expect(stream.isWhole).toBe(true);
});

test("bytes that can never become a character give one replacement character each", () => {
  expect(pushAll(new Utf8Stream(), [[0x80], [0xff], [0x41]])).toEqual(["\ufffd", "\ufffd", "A"]);
});

test("a broken character is replaced as soon as it is certain", () => {
  expect(pushAll(new Utf8Stream(), [[0xe2, 0x82], [0x41]])).toEqual(["", "\ufffdA"]);
});

test("a byte order mark is text like any other", () => {
  expect(
    pushAll(new Utf8Stream(), [
      [0xef, 0xbb],
      [0xbf, 0x41],
    ]).join(""),
  ).toBe("\ufeffA");
});

test("any bytes, cut anywhere, give the text they give in one piece", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 6 }), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, (bytes) => {
      const stream = new Utf8Stream();
      // The end mark completes or breaks whatever character is under way.
      const text = [...bytes, Uint8Array.of(0x21)].map((piece) => stream.push(piece)).join("");
      expect(text).toBe(
        new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat([...bytes, Buffer.from("!")])),
      );
    }),
    { numRuns: 2_000 },
  );
});
