import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readGgufParts } from "../../../src-main/gguf/gguf-parts.ts";
import { summarizeGguf } from "../../../src-main/gguf/gguf-summary.ts";
import { findings } from "../../../src-main/gguf/model-problems.ts";
import { ggufBytes } from "../../helpers/gguf-writer.ts";
import { knownTypes } from "../../helpers/gguf-shapes.ts";
import { hollowMetadata, hollowTensors, writeHollowFile, type HollowModel } from "../../helpers/hollow-gguf.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { tinyGguf, tinySplitGguf } from "../../helpers/tiny-gguf.ts";

const engine = { knowsArchitecture: () => true, tensorType: knownTypes, quantization: () => "F16" };

/** Both parts of a model; returns the first one's path. */
function writeSplit(folder = temporaryFolder()): string {
  const [first, second] = tinySplitGguf();
  writeFileSync(join(folder, "tiny-00002-of-00002.gguf"), second);
  const path = join(folder, "tiny-00001-of-00002.gguf");
  writeFileSync(path, first);
  return path;
}

test("a model in two files is one: its size, its tensors, and no problem", () => {
  const path = writeSplit();
  const parts = readGgufParts(path);
  const whole = join(temporaryFolder(), "tiny.gguf");
  writeFileSync(whole, tinyGguf());
  const [one, other] = [parts.flatMap(({ header }) => header.tensors), readGgufParts(whole)[0].header.tensors];
  expect(one.map(({ name }) => name)).toEqual(other.map(({ name }) => name));
  const sizeBytes = parts.reduce((sum, part) => sum + statSync(part.path).size, 0);
  expect(findings(parts, engine)).toMatchObject({ summary: { sizeBytes, parts: 2, name: "Tiny" }, problems: [] });
});

test("a later part names the first", () => {
  const path = writeSplit().replace("00001", "00002");
  expect(() => readGgufParts(path)).toThrow("it is part 2 of 2 of a model; choose tiny-00001-of-00002.gguf");
});

test("a missing part is named", () => {
  const path = writeSplit();
  rmSync(path.replace("00001", "00002"));
  expect(() => readGgufParts(path)).toThrow("it is incomplete: its part tiny-00002-of-00002.gguf is missing");
});

test("a part of another model is told from its own", () => {
  const path = writeSplit();
  writeFileSync(path.replace("00001", "00002"), tinyGguf());
  expect(() => readGgufParts(path)).toThrow("its part tiny-00002-of-00002.gguf belongs to another model");
});

test("a part whose number is of another type is refused: llama.cpp ends the process over it", () => {
  const path = writeSplit();
  writeFileSync(path.replace("00001", "00002"), ggufBytes({ "split.no": 1, "split.count": { u16: 2 } }, []));
  expect(() => readGgufParts(path)).toThrow("its split.no is not of the type it must be");
});

test("a damaged part is named with what is wrong with it", () => {
  const path = writeSplit();
  writeFileSync(path.replace("00001", "00002"), "nonsense");
  expect(() => readGgufParts(path)).toThrow("its part tiny-00002-of-00002.gguf cannot be used: it is not a GGUF file");
});

test("a first part under another name says what it must be called", () => {
  const path = writeSplit();
  const other = path.replace("tiny-00001-of-00002", "mine");
  renameSync(path, other);
  expect(() => readGgufParts(other)).toThrow("must be called NAME-00001-of-00002.gguf");
});

test("a model of 200 GB in four parts is summarized without its tensors being read", () => {
  const folder = temporaryFolder();
  const model: HollowModel = {
    architecture: "llama",
    layers: 96,
    heads: 128,
    keyValueHeads: 8,
    headSize: 128,
    embedding: 12_288,
    feedForward: 21_504,
    vocabulary: 1_000,
    contextTokens: 131_072,
  };
  const tensors = hollowTensors(model);
  const count = 4;
  const share = Math.ceil(tensors.length / count);
  const paths = Array.from({ length: count }, (_, index) => {
    const numbers = { "split.no": { u16: index }, "split.count": { u16: count } };
    const metadata = index === 0 ? { ...hollowMetadata(model), ...numbers } : numbers;
    const name = `huge-0000${index + 1}-of-00004.gguf`;
    return writeHollowFile(join(folder, name), metadata, tensors.slice(index * share, (index + 1) * share));
  });
  const [{ header, path }, ...others] = readGgufParts(paths[0] ?? "");
  const summary = summarizeGguf(
    header,
    path,
    engine,
    others.map((part) => part.header),
  );
  expect(summary).toMatchObject({ parts: 4, layers: 96, name: "Hollow" });
  expect(summary.sizeBytes).toBeGreaterThan(200e9);
  // They are there, but take no room: whoever read them would have to make that many zeros.
  const stored = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).blocks * 512, 0);
  if (process.platform !== "win32") expect(stored).toBeLessThan(10e6);
});
