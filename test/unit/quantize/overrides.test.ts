import { describe, expect, test } from "vitest";
import { alignmentOverrides, encodeOverrides, imatrixOverrides } from "../../../src-main/quantize/overrides.ts";

const imatrix = { weights: new Map([["a", new Float32Array(1)]]), datasets: ["wiki.txt", "more.txt"], chunks: 12 };

describe("a file made with an importance matrix", () => {
  test("names it without its folder, and says what it was measured on", () => {
    expect(imatrixOverrides("/home/me/secret/wiki.gguf", imatrix)).toEqual([
      { key: "quantize.imatrix.file", value: "wiki.gguf" },
      { key: "quantize.imatrix.dataset", value: "wiki.txt" },
      { key: "quantize.imatrix.entries_count", value: 1 },
      { key: "quantize.imatrix.chunks_count", value: 12 },
    ]);
  });

  test("leaves out what the matrix does not tell", () => {
    const keys = imatrixOverrides("a.dat", { ...imatrix, datasets: [], chunks: 0 }).map(({ key }) => key);
    expect(keys).toEqual(["quantize.imatrix.file", "quantize.imatrix.entries_count"]);
  });

  test("cuts long names between two characters", () => {
    const [file] = imatrixOverrides(`${"数".repeat(80)}.gguf`, imatrix);
    expect(file?.value).toBe("数".repeat(42));
  });
});

test("a source that is aligned otherwise has its alignment put right", () => {
  expect(alignmentOverrides(32)).toEqual([]);
  expect(alignmentOverrides(64)).toEqual([{ key: "general.alignment", value: 32 }]);
});

test("overrides are encoded as the library reads them, and ended by one without a key", () => {
  const bytes = encodeOverrides([
    { key: "some.text", value: "value" },
    { key: "some.number", value: 7 },
  ]);
  expect(bytes).toHaveLength(3 * 264);
  const text = (at: number) => bytes?.subarray(at, bytes.indexOf(0, at)).toString();
  expect([bytes?.readInt32LE(0), text(4), text(136)]).toEqual([3, "some.text", "value"]);
  expect([bytes?.readInt32LE(264), text(268), bytes?.readBigInt64LE(400)]).toEqual([0, "some.number", 7n]);
  expect(text(2 * 264 + 4)).toBe("");
  expect(encodeOverrides([])).toBeNull();
});
