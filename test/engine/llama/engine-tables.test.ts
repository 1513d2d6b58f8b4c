import * as library from "node-llama-cpp";
import { expect, test } from "vitest";
import { nativeBindings } from "../../../src-main/engine/llama/native.ts";
import { engineTables } from "../../../src-main/models/engine-tables.ts";
import { sharedLlama } from "../../helpers/open-tiny-model.ts";

const bindings = async () => nativeBindings((await sharedLlama()).llama);

/** Its types say they are constants of the compiler; it has them as objects all the same. */
const { GgufArchitectureType, GgufFileType } = library as unknown as {
  readonly GgufArchitectureType: Readonly<Record<string, string>>;
  readonly GgufFileType: Readonly<Record<number, string>>;
};

test("the table of architectures is the library's", async () => {
  const native = await bindings();
  const known = Object.values(GgufArchitectureType).filter((architecture) => native.getIsArchSupported(architecture));
  expect(known.length).toBeGreaterThan(100);
  expect(known.filter((architecture) => !engineTables.knowsArchitecture(architecture))).toEqual([]);
  expect(engineTables.knowsArchitecture("(unknown)")).toBe(false);
});

test("the table of tensor types is the library's", async () => {
  const native = await bindings();
  for (let type = 0; type < 64; type += 1) {
    const blockElements = native.getBlockSizeForGgmlType(type);
    const blockBytes = native.getTypeSizeForGgmlType(type);
    const expected = blockElements && blockBytes ? { blockElements, blockBytes } : null;
    expect([type, engineTables.tensorType(type)]).toEqual([type, expected]);
  }
});

test("the names of levels are the library's", () => {
  for (let fileType = 0; fileType < 64; fileType += 1) {
    const expected = GgufFileType[fileType]?.replace(/^(MOSTLY|ALL)_/, "") ?? null;
    expect([fileType, engineTables.quantization(fileType)]).toEqual([fileType, expected]);
  }
});
