import { expect, test } from "vitest";
import type { GgufTensor } from "../../../src-main/gguf/gguf-header.ts";
import { structureProblems } from "../../../src-main/gguf/gguf-structure.ts";
import { headerOf, knownTypes } from "../../helpers/gguf-shapes.ts";

/** 64 × 2 elements of Q8_0: 136 bytes, so the next one begins at 160. */
const first: GgufTensor = { name: "first", shape: [64, 2], type: 8, offsetBytes: 0 };
const second: GgufTensor = { name: "second", shape: [4], type: 0, offsetBytes: 160 };

function problemsOf(tensors: readonly GgufTensor[], metadata = {}, sizeBytes = 176): string[] {
  return structureProblems([{ path: "a.gguf", header: headerOf(metadata, tensors, sizeBytes) }], knownTypes);
}

test("a file packed as the format demands has no problem", () => {
  expect(problemsOf([first, second])).toEqual([]);
});

test.each<[string, readonly GgufTensor[], string]>([
  ["another one's place", [first, { ...second, offsetBytes: 128 }], "its tensor second lies in another one"],
  ["a gap", [first, { ...second, offsetBytes: 192 }], "its tensor second lies too far behind the one before it"],
  ["no alignment", [first, { ...second, offsetBytes: 161 }], "its tensor second begins between two places"],
  ["the same name", [first, { ...second, name: "first" }], "it has the tensor first twice"],
  [
    "half blocks",
    [{ ...first, shape: [65, 2] }],
    "its tensor first has rows of 65 elements, which its type cannot hold",
  ],
  ["nothing in it", [{ ...first, shape: [64, 0] }], "its tensor first is empty in one direction"],
  ["an unknown type", [{ ...first, type: 77 }], "its tensor first has a type unknown to this release of the engine"],
  [
    "overflowing counts",
    [{ ...first, shape: [2 ** 40, 2 ** 40] }],
    "its tensor first claims more elements than can be",
  ],
  ["a long name", [{ ...first, name: "n".repeat(64) }], `its tensor ${"n".repeat(60)}… has too long a name`],
])("%s is a problem", (_, tensors, problem) => {
  expect(problemsOf(tensors, {}, 1e6)).toContain(problem);
});

test("a tensor that ends a byte behind the file is a problem", () => {
  expect(problemsOf([first, second], {}, 175)).toEqual(["its tensor second ends behind the end of the file"]);
});

test("an alignment that is no power of two is a problem", () => {
  expect(problemsOf([], { "general.alignment": 48 })).toEqual(["its alignment, 48, is not a power of two"]);
});

test("what is between tensors follows the file's own alignment", () => {
  const close = { ...second, offsetBytes: 136 };
  expect(problemsOf([first, close], { "general.alignment": 8 })).toEqual([]);
});

test("a name cannot smuggle anything into the sentence", () => {
  const [problem] = problemsOf([{ ...first, name: "a\u001b[31m\nb", type: 77 }]);
  expect(problem).toBe("its tensor a?[31m?b has a type unknown to this release of the engine");
});

test("a file full of problems tells of the first 20", () => {
  const many = Array.from({ length: 1_000 }, (_, index) => ({ ...first, name: `t${index}`, type: 77 }));
  expect(problemsOf(many)).toHaveLength(20);
});

test("what a split model claims to hold must be there", () => {
  const part = (tensors: readonly GgufTensor[], metadata = {}) => ({
    path: "a.gguf",
    header: headerOf(metadata, tensors, 1e6),
  });
  const parts = [part([first], { "split.tensors.count": 3 }), part([{ ...second, offsetBytes: 0 }])] as const;
  expect(structureProblems(parts, knownTypes)).toEqual(["it claims 3 tensors, and its parts hold 2"]);
});
