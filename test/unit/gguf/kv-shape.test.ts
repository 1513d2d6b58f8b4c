import { expect, test } from "vitest";
import type { GgufHeader, GgufScalar } from "../../../src-main/gguf/gguf-header.ts";
import { kvRowBytes } from "../../../src-main/gguf/kv-shape.ts";

function header(values: Readonly<Record<string, GgufScalar | readonly number[]>>): GgufHeader {
  const metadata = new Map(
    Object.entries({ "general.architecture": "llama", ...values }).map(([key, value]) => [
      key,
      Array.isArray(value) ? { length: value.length, numbers: value as number[] } : value,
    ]),
  );
  return { metadata, tensors: [], sizeBytes: 0 };
}

const grouped = {
  "llama.block_count": 2,
  "llama.embedding_length": 576,
  "llama.attention.head_count": 9,
  "llama.attention.head_count_kv": 3,
};

test("grouped-query attention: kv heads, not heads, times both lengths times two bytes", () => {
  expect(kvRowBytes(header(grouped))).toEqual([3 * 128 * 2, 3 * 128 * 2]);
});

test("as many kv heads as heads where the file names only heads", () => {
  const multiHead = header({ ...grouped, "llama.attention.head_count_kv": "absent" });
  expect(kvRowBytes(multiHead)).toEqual([9 * 128 * 2, 9 * 128 * 2]);
});

test("kv heads by layer, none where a layer has no attention", () => {
  const hybrid = header({ ...grouped, "llama.attention.head_count_kv": [3, 0] });
  expect(kvRowBytes(hybrid)).toEqual([768, 0]);
});

test("key and value lengths of their own", () => {
  const wide = header({ ...grouped, "llama.attention.key_length": 192, "llama.attention.value_length": 128 });
  expect(kvRowBytes(wide)).toEqual([3 * 320 * 2, 3 * 320 * 2]);
});

test("quantized types: a block of 32 with its scale, for keys and values each", () => {
  const types = { keyType: "q8_0", valueType: "q4_0" } as const;
  expect(kvRowBytes(header(grouped), types)).toEqual([6 * 34 + 6 * 18, 6 * 34 + 6 * 18]);
});

test("nothing where the file does not say enough", () => {
  expect(kvRowBytes(header({ "llama.block_count": 2 }))).toBeNull();
  expect(kvRowBytes(header({ ...grouped, "llama.attention.head_count": [9] }))).toBeNull();
});
