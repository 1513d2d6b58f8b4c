import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GgufError } from "../../../src-main/gguf/file-window.ts";
import { readGgufHeader } from "../../../src-main/gguf/gguf-header.ts";
import { damagedGguf, type Damage } from "../../helpers/damaged-gguf.ts";
import { ggufBytes } from "../../helpers/gguf-writer.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { tinyGguf } from "../../helpers/tiny-gguf.ts";

function fileOf(bytes: Buffer): string {
  const path = join(temporaryFolder(), "model.gguf");
  writeFileSync(path, bytes);
  return path;
}

describe("a whole file", () => {
  test("gives its values, and of long arrays and vocabularies the length", () => {
    const { metadata } = readGgufHeader(fileOf(tinyGguf({ layers: 3, addsBos: true })));
    expect(metadata.get("general.architecture")).toBe("llama");
    expect(metadata.get("llama.block_count")).toBe(3);
    expect(metadata.get("llama.rope.freq_base")).toBe(10_000);
    expect(metadata.get("tokenizer.ggml.add_bos_token")).toBe(true);
    expect(metadata.get("tokenizer.ggml.tokens")).toMatchObject({ numbers: null });
  });

  test("keeps short arrays of numbers: values by layer", () => {
    const { metadata } = readGgufHeader(fileOf(ggufBytes({ "llama.attention.head_count_kv": [4, 0, 4] }, [])));
    expect(metadata.get("llama.attention.head_count_kv")).toEqual({
      length: 3,
      numbers: [4, 0, 4],
      holds: "values",
    });
  });

  test("says where each tensor lies in the file", () => {
    const values = new Float32Array(16);
    const bytes = ggufBytes({}, [
      { name: "first", shape: [4, 4], values },
      { name: "second", shape: [16], values },
    ]);
    const { tensors, sizeBytes } = readGgufHeader(fileOf(bytes));
    expect(tensors).toEqual([
      { name: "first", shape: [4, 4], type: 0, offsetBytes: sizeBytes - 128 },
      { name: "second", shape: [16], type: 0, offsetBytes: sizeBytes - 64 },
    ]);
  });

  test("reads a header longer than the reader's window", () => {
    const long = "x".repeat(3_000_000);
    const { metadata } = readGgufHeader(fileOf(ggufBytes({ before: "a", long, after: 7 }, [])));
    expect(metadata.get("long")).toBe(long);
    expect(metadata.get("after")).toBe(7);
  });
});

describe("a vocabulary longer than the reader's window", () => {
  const words = Array.from({ length: 60_000 }, (_, index) => `word${index}`.repeat(1 + (index % 3)));

  test("is passed over, to the value behind it", () => {
    const { metadata } = readGgufHeader(fileOf(ggufBytes({ before: 1, words, after: 7 }, [])));
    expect(metadata.get("words")).toEqual({ length: words.length, numbers: null, holds: "texts" });
    expect(metadata.get("after")).toBe(7);
  });

  test("is kept where it is asked for", () => {
    const path = fileOf(ggufBytes({ others: ["a"], words, after: 7 }, []));
    const { metadata } = readGgufHeader(path, { keepTextsOf: "words" });
    expect(metadata.get("words")).toMatchObject({ texts: words });
    expect(metadata.get("others")).not.toHaveProperty("texts");
    expect(metadata.get("after")).toBe(7);
  });

  test("that is cut off in its middle is refused", () => {
    const bytes = ggufBytes({ words }, []);
    expect(() => readGgufHeader(fileOf(bytes.subarray(0, 700_000)))).toThrow("it ends in the middle of its header");
  });
});

test.each<[Damage, string]>([
  ["truncated-header", "it is incomplete or damaged"],
  ["not-gguf", "it is not a GGUF file"],
  ["wrong-magic", "it is not a GGUF file"],
  ["huge-key-count", "it is incomplete or damaged: it claims 1099511627776 keys"],
  ["empty", "it is not a GGUF file"],
])("a file with the damage %s is refused: %s", (damage, reason) => {
  expect(() => readGgufHeader(fileOf(damagedGguf(damage)))).toThrow(reason);
});

/** A whole file with some bytes of its beginning replaced. */
function changed(change: (bytes: Buffer) => void): string {
  const bytes = Buffer.from(tinyGguf());
  change(bytes);
  return fileOf(bytes);
}

test("a version that is not known is refused", () => {
  const path = changed((bytes) => bytes.writeUInt32LE(9, 4));
  expect(() => readGgufHeader(path)).toThrow("its version of the format, 9, cannot be read");
});

test("a big-endian file is refused", () => {
  const path = changed((bytes) => bytes.writeUInt32BE(3, 4));
  expect(() => readGgufHeader(path)).toThrow("it was made for big-endian machines");
});

test("more tensors than the file can hold are refused", () => {
  const path = changed((bytes) => bytes.writeBigUInt64LE(2n ** 33n, 8));
  expect(() => readGgufHeader(path)).toThrow("it claims 8589934592 tensors, more than its size can hold");
});

test("an array longer than the file is refused before it is read", () => {
  const bytes = ggufBytes({ counts: [1, 2, 3] }, []);
  const at = bytes.indexOf("counts") + "counts".length + 4 + 4;
  bytes.writeBigUInt64LE(2n ** 40n, at);
  expect(() => readGgufHeader(fileOf(bytes))).toThrow("it claims 1099511627776 array elements");
});

test("a length beyond all sizes is refused", () => {
  const bytes = ggufBytes({ words: ["a", "b"] }, []);
  bytes.writeBigUInt64LE(2n ** 63n, bytes.indexOf("words") + "words".length + 4 + 4 + 8);
  expect(() => readGgufHeader(fileOf(bytes))).toThrow("it ends in the middle of its header");
});

test("a text as large as no model has is refused before it is read", () => {
  const bytes = ggufBytes({ text: "a" }, []);
  bytes.writeBigUInt64LE(65n << 20n, bytes.indexOf("text") + "text".length + 4);
  expect(() => readGgufHeader(fileOf(bytes))).toThrow("a text larger than that of any model");
});

test("more keys than any model has are refused, though they are all there", () => {
  const keys = Array.from({ length: 65_537 }, (_, index): [string, number] => [`k${index}`, index]);
  const path = fileOf(ggufBytes(Object.fromEntries(keys), []));
  expect(() => readGgufHeader(path)).toThrow("it claims 0 tensors and 65537 keys, more than any model has");
});

test("a value of an unknown type is refused", () => {
  const bytes = ggufBytes({ odd: 1 }, []);
  bytes.writeUInt32LE(77, bytes.indexOf("odd") + "odd".length);
  expect(() => readGgufHeader(fileOf(bytes))).toThrow("a value of the unknown type 77");
});

test("the same key twice is refused", () => {
  const bytes = ggufBytes({ one: 1, two: 2 }, []);
  bytes.write("one", bytes.indexOf("two"));
  expect(() => readGgufHeader(fileOf(bytes))).toThrow("its header has the key one twice");
});

test.each(["__proto__.polluted", "general.constructor", "prototype"])("the key %s is refused", (key) => {
  expect(() => readGgufHeader(fileOf(ggufBytes({ [key]: 1 }, [])))).toThrow(`its header has the key ${key}`);
});

test("whatever bytes are wrong: it is read, or refused with a reason", () => {
  const whole = tinyGguf();
  const folder = temporaryFolder();
  const path = join(folder, "model.gguf");
  const change = fc.tuple(fc.nat({ max: 2_000 }), fc.uint8Array({ minLength: 1, maxLength: 8 }));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat({ max: whole.length }), (changes, length) => {
      const bytes = Buffer.from(whole);
      for (const [offset, values] of changes) bytes.set(values, offset);
      writeFileSync(path, bytes.subarray(0, length));
      const outcome = (() => {
        try {
          return readGgufHeader(path);
        } catch (caught) {
          return caught;
        }
      })();
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(GgufError);
    }),
    { numRuns: 300 },
  );
});

test("an empty key is no fault", () => {
  expect(readGgufHeader(fileOf(ggufBytes({ "": 5 }, []))).metadata.get("")).toBe(5);
});

test("a folder is refused, and a missing file is the system's error", () => {
  const folder = join(temporaryFolder(), "model.gguf");
  expect(() => readGgufHeader(folder)).toThrow(expect.objectContaining({ code: "ENOENT" }));
  mkdirSync(folder);
  expect(() => readGgufHeader(folder)).toThrow("it is a folder");
});
