import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readGgufParts } from "../../../src-main/gguf/gguf-parts.ts";
import { footprint } from "../../../src-main/models/footprint.ts";
import { ggufBytes } from "../../helpers/gguf-writer.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { tinyGguf, type TinyModelOptions } from "../../helpers/tiny-gguf.ts";

function of(bytes: Uint8Array) {
  const path = join(temporaryFolder(), "model.gguf");
  writeFileSync(path, bytes);
  return footprint(readGgufParts(path));
}
const ofTiny = (model: TinyModelOptions = {}) => of(tinyGguf(model));

/** Of one token: 2 layers of 2 heads of 32, two bytes each. */
const rowBytes = 2 * 2 * 32 * 2;

test("keys, values and weights are what the header's shape makes them", () => {
  const found = ofTiny();
  expect(found).toMatchObject({
    contextTokens: 4_096,
    keyBytes: rowBytes * 4_096,
    valueBytes: rowBytes * 4_096,
    stateBytes: 0,
  });
  expect(found?.computeBytes).toBeGreaterThan(0);
  // Most of the weights are matrices of F16.
  expect((found?.weightsBytes ?? 0) / (found?.parameters ?? 1)).toBeGreaterThan(1.9);
});

test("a long context is reckoned as the engine begins it", () => {
  expect(ofTiny({ contextTokens: 131_072 })).toMatchObject({ contextTokens: 8_192, keyBytes: rowBytes * 8_192 });
});

test("a state is there whatever the context", () => {
  const found = ofTiny({ variant: "recurrent" });
  expect(found).toMatchObject({ keyBytes: 0, valueBytes: 0 });
  expect(found?.stateBytes).toBeGreaterThan(0);
});

test("a file that does not say how it is built has none", () => {
  expect(of(ggufBytes({ "general.architecture": "llama" }, []))).toBeNull();
});
