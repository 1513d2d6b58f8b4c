/** llama.cpp's own quantizer in real processes, on a tiny model whose matrices fit every kind of block. */
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { findLevel, quantizationLevels } from "../../../src-main/contract/quantization-levels.ts";
import { engineInProcess, load, request, turn } from "../../helpers/engine-turns.ts";
import { tinySums, writeImatrix } from "../../helpers/imatrix-file.ts";
import { never, quantizeFile, quantizer, requestOf } from "../../helpers/quantize-tiny.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../../helpers/tiny-gguf.ts";

const client = engineInProcess();
const directQuantize = fileURLToPath(new URL("../../helpers/direct-quantize.ts", import.meta.url));
const shape = { embedding: 256, layers: 1 };
const sums = tinySums(shape.embedding, shape.layers);

let folder: string;
let source: string;
beforeEach(async () => {
  folder = temporaryFolder();
  source = await writeTinyGguf(join(folder, "tiny.gguf"), shape);
});

const levels = quantizationLevels().map(({ name }) => name);

describe.each(levels)("%s", (level) => {
  test("has the size that was foreseen, loads as what it is, and answers", async () => {
    const needsImatrix = findLevel(level)?.needsImatrix === true;
    const imatrixPath = needsImatrix ? writeImatrix(join(folder, "imatrix.gguf"), sums) : null;
    if (needsImatrix) {
      expect(await quantizer.forecast(requestOf(source, level), never)).toMatchObject({ needsImatrix });
    }
    const made = await quantizeFile(source, level, { imatrixPath });
    expect(made.forecast).toEqual({ predictedBytes: made.bytes, needsImatrix: false, isLossySource: false });
    expect(statSync(made.path).size).toBe(made.bytes);
    const { model } = await load(client, made.path);
    expect(model.summary.quantization).toBe(level);
    const { report } = await turn(client, request("hello", { maxTokens: 4 }));
    expect(report.outputTokens).toBe(4);
  });
});

test.each(["Q4_K_M", "Q8_0", "IQ4_XS", "F32"])("%s is byte for byte what the library writes", async (level) => {
  const { path } = await quantizeFile(source, level, { threads: 2 });
  const direct = join(folder, "direct.gguf");
  const number = String(findLevel(level)?.fileType);
  execFileSync(process.execPath, [directQuantize, source, direct, number], { stdio: "ignore" });
  expect(readFileSync(path).equals(readFileSync(direct))).toBe(true);
});

test("finer levels answer more like the original", async () => {
  const answerOf = async (path: string) => {
    await load(client, path);
    return (await turn(client, request("hello", { maxTokens: 24 }))).answerTokens ?? [];
  };
  const original = await answerOf(source);
  const same = async (level: string) => {
    const tokens = await answerOf((await quantizeFile(source, level)).path);
    return tokens.findIndex((token, index) => token !== original[index]);
  };
  expect(await same("F32")).toBe(-1);
  expect(await same("Q2_K")).toBeGreaterThanOrEqual(0);
});
