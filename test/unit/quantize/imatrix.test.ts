import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RepriseError } from "../../../src-main/contract/errors.ts";
import { checkImatrixFits } from "../../../src-main/quantize/imatrix.ts";
import { readImatrix } from "../../../src-main/quantize/read-imatrix.ts";
import { ggufBytes } from "../../helpers/gguf-writer.ts";
import { writeImatrix, writeLegacyImatrix, type Sums } from "../../helpers/imatrix-file.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../../helpers/tiny-gguf.ts";

/** What the library would read; its own reader is tried in test/engine/quantize. */
const gguf = { open: () => 1n, texts: () => ["text.txt"], free: () => undefined };
const path = () => join(temporaryFolder(), "imatrix.gguf");
const sums: Sums = {
  "blk.0.ffn_up.weight": { sums: [2, 4, 8], counts: [2] },
  "blk.0.ffn_up_exps.weight": { sums: [3, 6, 5, 9, 1, 1], counts: [3, 0, 2] },
};

describe("a GGUF file", () => {
  test("gives the mean of each input, by expert, and 1 for an expert that was never used", () => {
    const { weights, datasets, chunks } = readImatrix(writeImatrix(path(), sums), gguf);
    expect(Object.fromEntries(weights)).toEqual({
      "blk.0.ffn_up.weight": Float32Array.of(1, 2, 4),
      "blk.0.ffn_up_exps.weight": Float32Array.of(1, 2, 1, 1, 0.5, 0.5),
    });
    expect({ datasets, chunks }).toEqual({ datasets: ["text.txt"], chunks: 3 });
  });

  test.each<[string, Sums]>([
    ["its counts for a.weight do not fit", { "a.weight": { sums: [1, 2, 3], counts: [1, 1] } }],
    ["its counts for a.weight do not fit", { "a.weight": { sums: [1, 2, 3], counts: [] } }],
    ["its weights for a.weight are not all numbers", { "a.weight": { sums: [1, Number.NaN], counts: [1] } }],
    ["it has no weights", {}],
  ])("is refused where %s", (reason, wrong) => {
    expect(() => readImatrix(writeImatrix(path(), wrong), gguf)).toThrow(reason);
  });

  test("without counts, or of another kind, is refused", async () => {
    const file = path();
    const keys = { "imatrix.datasets": ["a"], "imatrix.chunk_count": 1, "imatrix.chunk_size": 1 };
    const values = new Float32Array(4);
    writeFileSync(file, ggufBytes(keys, [{ name: "a.weight.in_sum2", shape: [4], values }]));
    expect(() => readImatrix(file, gguf)).toThrow("its sums and counts do not belong together");
    const model = await writeTinyGguf(path());
    expect(() => readImatrix(model, gguf)).toThrow("it is a GGUF file of another kind");
  });
});

describe("a file in the older format", () => {
  test("gives the same", () => {
    const dense = { "blk.0.ffn_up.weight": { sums: [2, 4, 8], counts: [2] } };
    expect(readImatrix(writeLegacyImatrix(path(), dense), gguf)).toEqual(
      readImatrix(writeImatrix(path(), dense), gguf),
    );
  });

  test("may end with its last weights", () => {
    const { datasets, chunks } = readImatrix(writeLegacyImatrix(path(), sums, null), gguf);
    expect({ datasets, chunks }).toEqual({ datasets: [], chunks: 0 });
  });

  test.each([
    ["that ends too early", (bytes: Buffer) => bytes.subarray(0, 40), "it is no importance matrix, or incomplete"],
    ["that is a letter", () => Buffer.from("Dear Sir or Madam"), "it is no importance matrix"],
    ["that is empty", () => Buffer.alloc(0), "it is no importance matrix, or incomplete"],
    ["with no entries", () => Buffer.alloc(8), "it is no importance matrix, or empty"],
  ])("%s is refused", (_, change, reason) => {
    const file = writeLegacyImatrix(path(), sums);
    writeFileSync(file, change(readFileSync(file)));
    expect(() => readImatrix(file, gguf)).toThrow(reason);
  });

  test("with any bytes is read, or refused with a sentence", () => {
    const file = path();
    const whole = readFileSync(writeLegacyImatrix(file, sums));
    const change = fc.tuple(fc.nat({ max: whole.length }), fc.uint8Array({ minLength: 1, maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), fc.nat({ max: whole.length }), (changes, length) => {
        const bytes = Buffer.from(whole);
        for (const [offset, values] of changes) bytes.set(values.subarray(0, bytes.length - offset), offset);
        writeFileSync(file, bytes.subarray(0, length));
        try {
          readImatrix(file, gguf);
        } catch (caught) {
          expect(caught).toBeInstanceOf(RepriseError);
          expect(caught).toMatchObject({ code: "INVALID_INPUT" });
        }
      }),
      { numRuns: 200 },
    );
  });
});

test("a file that is not there is refused by name", () => {
  const missing = path();
  expect(() => readImatrix(missing, gguf)).toThrow(/^imatrix\.gguf cannot be used as an importance matrix: .*ENOENT/);
});

describe("a matrix fits a model", () => {
  const tensor = (name: string, ...shape: number[]) => ({ name, shape, sourceType: "f16", targetType: "q4_K" });
  const fits = (...tensors: ReturnType<typeof tensor>[]) => {
    const imatrix = readImatrix(writeImatrix(path(), sums), gguf);
    checkImatrixFits("wiki.gguf", imatrix, tensors);
  };

  test("where it has one weight for each input of each expert", () => {
    fits(tensor("blk.0.ffn_up.weight", 3, 9, 1, 1), tensor("blk.0.ffn_up_exps.weight", 2, 9, 3, 1), tensor("other", 5));
  });

  test.each([
    ["none of its tensors", [tensor("other.weight", 3, 9, 1, 1)]],
    ["a tensor of another size", [tensor("blk.0.ffn_up.weight", 4, 9, 1, 1)]],
  ])("and not one with %s", (_, tensors) => {
    expect(() => {
      fits(...tensors);
    }).toThrow("wiki.gguf cannot be used as an importance matrix: it was made for another model. Nothing was written.");
  });
});
