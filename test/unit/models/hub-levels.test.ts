import { describe, expect, test } from "vitest";
import type { HubLevel } from "../../../src-main/contract/hub.ts";
import { groupLevels, suggestLevel } from "../../../src-main/models/hub-levels.ts";
import { approximateBits, quantizationOf } from "../../../src-main/models/quantization-name.ts";
import { isSafePath, readRepositoryName } from "../../../src-main/models/repository-name.ts";

const file = (path: string, sizeBytes = 1) => ({ path, sizeBytes, sha256: "a".repeat(64) });

function suggested(...names: string[]): string {
  const [first, ...rest] = groupLevels(names.map((name) => file(`m-${name}.gguf`))).levels as [HubLevel];
  return suggestLevel([first, ...rest]).name;
}

describe("a level's name in a file's name", () => {
  test.each([
    ["SmolLM2-135M-Instruct.Q4_1.gguf", "Q4_1"],
    ["Qwen3-4B-Instruct-2507-Q4_K_M.gguf", "Q4_K_M"],
    ["qwen2.5-7b-instruct-q4_k_m-00001-of-00002.gguf", "Q4_K_M"],
    ["Model-UD-Q4_K_XL.gguf", "UD-Q4_K_XL"],
    ["Model-IQ2_XXS.gguf", "IQ2_XXS"],
    ["BF16/Model-BF16-00001-of-00002.gguf", "BF16"],
    ["model-fp16.gguf", "F16"],
    ["gpt-oss-20b-mxfp4.gguf", "MXFP4"],
    ["Model-TQ1_0.gguf", "TQ1_0"],
    ["Model-Q6_K_imat.gguf", "Q6_K"],
    ["Qwen3-0.6B.gguf", null],
    ["IQtest-q8bit.gguf", null],
  ])("%s: %s", (name, quantization) => {
    expect(quantizationOf(name)).toBe(quantization);
  });

  test("stands in the order of bits", () => {
    const names = [
      "TQ1_0",
      "IQ2_XXS",
      "Q2_K",
      "IQ3_M",
      "Q3_K_L",
      "MXFP4",
      "Q4_0",
      "Q4_K_M",
      "Q5_K_S",
      "Q6_K",
      "Q8_0",
      "BF16",
      "F32",
    ];
    const bits = names.map(approximateBits);
    expect(bits).toEqual([...bits].sort((one, other) => Number(one) - Number(other)));
    expect(approximateBits("REASONS")).toBeNull();
  });
});

describe("the files of a repository", () => {
  test("are levels from small to large, with what is no model set apart", () => {
    const { levels, others } = groupLevels([
      file("README.md"),
      file("m-Q8_0.gguf", 8),
      file("m-Q4_K_M.gguf", 4),
      file("mmproj-F16.gguf", 2),
      file("adapter-lora-f16.gguf", 1),
      file("m.imatrix.gguf", 1),
    ]);
    expect(levels.map(({ name, quantization, sizeBytes }) => [name, quantization, sizeBytes])).toEqual([
      ["Q4_K_M", "Q4_K_M", 4],
      ["Q8_0", "Q8_0", 8],
    ]);
    expect(others.map(({ path, kind }) => [path, kind])).toEqual([
      ["mmproj-F16.gguf", "projector"],
      ["adapter-lora-f16.gguf", "adapter"],
      ["m.imatrix.gguf", "importance-matrix"],
    ]);
  });

  test("that are parts of one model are one level, in order", () => {
    const part = (number: number) => file(`Q8_0/m-Q8_0-0000${number}-of-00003.gguf`, number);
    const { levels } = groupLevels([part(2), part(3), part(1)]);
    expect(levels).toEqual([{ name: "Q8_0", quantization: "Q8_0", sizeBytes: 6, files: [part(1), part(2), part(3)] }]);
  });

  test.each([[["1", "3"]], [["2", "3"]], [["1", "2"]]])("of a split model that lack a part are none: %j", (parts) => {
    expect(groupLevels(parts.map((part) => file(`m-Q8_0-0000${part}-of-00003.gguf`))).levels).toEqual([]);
  });

  test("of the same level are told apart by their names", () => {
    const { levels } = groupLevels([file("small/m-Q8_0.gguf"), file("large/m-Q8_0.gguf", 2), file("plain.gguf", 3)]);
    expect(levels.map(({ name }) => name)).toEqual(["small/m-Q8_0", "large/m-Q8_0", "plain"]);
  });
});

describe("the level that is suggested", () => {
  test.each([
    [["Q2_K", "Q4_K_M", "Q4_K_S", "Q8_0"], "Q4_K_M"],
    [["Q2_K", "Q4_K_S", "Q8_0"], "Q4_K_S"],
    [["Q3_K_S", "Q5_K_M"], "Q5_K_M"],
    [["Q8_0", "BF16"], "Q8_0"],
    [["special", "F16"], "F16"],
    [["special"], "m-special"],
  ])("of %j is %s", (names, wanted) => {
    expect(suggested(...names)).toBe(wanted);
  });
});

describe("a repository's name", () => {
  test.each([
    ["someone/a-model.v1_GGUF", "someone/a-model.v1_GGUF"],
    [" https://huggingface.co/someone/model ", "someone/model"],
    ["huggingface.co/someone/model/tree/main", "someone/model"],
    ["hf.co/someone/model/", "someone/model"],
  ])("%s is read", (text, name) => {
    expect(readRepositoryName(text)).toBe(name);
  });

  test.each([
    "model",
    "a/b/c",
    "../etc",
    "a/..",
    "a/.hidden",
    "a/b.",
    "a b/c",
    "a/b?c",
    "http://evil/a/b",
    "con/a",
    "",
  ])("%j is none", (text) => {
    expect(readRepositoryName(text)).toBeNull();
  });
});

test.each(["a.gguf", "Q8_0/a b (1).gguf", "模型.gguf"])("%s is a path for every system", (path) => {
  expect(isSafePath(path)).toBe(true);
});

test.each([
  "../a.gguf",
  "/a.gguf",
  "a//b.gguf",
  ".a.gguf",
  "a\\b.gguf",
  "C:/a.gguf",
  "a\n.gguf",
  "nul.gguf",
  "a./b.gguf",
  "x/ ",
])("%j is none", (path) => {
  expect(isSafePath(path)).toBe(false);
});
