import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readModel } from "../../../src-main/models/read-model.ts";
import { ggufBytes } from "../../helpers/gguf-writer.ts";
import { sampleModel, type SampleModel } from "../../helpers/sample-header.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

function written(bytes: Uint8Array, name = "model.gguf"): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

const read = (model: SampleModel) => readModel(written(sampleModel(model)));

test("a model is read: what it is, and which family it belongs to", () => {
  const general = { name: "Qwen3 4B", file_type: 15 };
  const bytes = sampleModel({ general });
  expect(readModel(written(bytes))).toMatchObject({
    version: 2,
    kind: "model",
    reason: null,
    summary: { name: "Qwen3 4B", architecture: "llama", quantization: "Q4_K_M", layers: 2, sizeBytes: bytes.length },
    traits: { name: "Qwen3 4B", statement: "named" },
  });
});

test("levels that say nothing of their model are one family by the weights that all levels keep", () => {
  const full = read({ type: "f32" });
  expect(read({ general: { name: "tmp" } }).traits?.familyId).toBe(full.traits?.familyId);
  expect(read({ norm: 2 }).traits?.familyId).not.toBe(full.traits?.familyId);
  expect(read({ general: { name: "Qwen3 4B" } }).traits?.weightsMark).toBe(full.traits?.weightsMark);
});

test.each([
  ["adapter", { "general.type": "adapter", "general.architecture": "llama" }],
  ["projector", { "general.type": "mmproj", "general.architecture": "clip" }],
  ["projector", { "general.architecture": "clip" }],
])("an %s is recognised and no model", (kind, metadata) => {
  expect(readModel(written(ggufBytes(metadata, [])))).toMatchObject({ kind, summary: null, traits: null });
});

test.each([
  ["no GGUF", Buffer.from("Dear Sir or Madam, how are you today?"), "it is not a GGUF file"],
  ["cut short", sampleModel().subarray(0, -10_000), /^it is incomplete/],
  ["of an unknown architecture", sampleModel({ shape: { architecture: "abacus" } }), /abacus, is unknown/],
])("a file that is %s has a reason", (_, bytes, reason) => {
  expect(readModel(written(bytes))).toMatchObject({ kind: "model", summary: null, traits: null });
  expect(readModel(written(bytes)).reason).toMatch(reason);
});

test("a file that is not there is an error of the system", () => {
  expect(() => readModel(join(temporaryFolder(), "gone.gguf"))).toThrow("ENOENT");
});

/** A model in as many files as `parts`, of which the first may hold no tensors. */
function writeSplit(parts: readonly SampleModel[]): string {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const digits = (number: number) => String(number).padStart(5, "0");
  const paths = parts.map((part, index) => {
    const metadata = { ...part.metadata, "split.no": { u16: index }, "split.count": { u16: parts.length } };
    const path = join(folder, `big-${digits(index + 1)}-of-${digits(parts.length)}.gguf`);
    writeFileSync(path, sampleModel({ ...part, metadata }));
    return path;
  });
  return String(paths[0]);
}

test("a model in several files is one, with the size of all", () => {
  const general = { name: "Qwen3 4B" };
  const path = writeSplit([{ general }, { general }]);
  const one = sampleModel({ general, metadata: { "split.no": { u16: 0 }, "split.count": { u16: 2 } } }).length;
  const { summary, traits, reason } = readModel(path);
  expect(reason).toBeNull();
  expect(summary?.sizeBytes).toBe(2 * one);
  expect(traits?.familyId).toBe(read({ general }).traits?.familyId);
});

test("a model without all its files has a reason, and so has a later part by itself", () => {
  const path = writeSplit([{}, {}, {}]);
  const alone = written(sampleModel({ metadata: { "split.no": 0, "split.count": 3 } }), "big-00001-of-00003.gguf");
  expect(readModel(alone).reason).toBe("it is incomplete: its part big-00002-of-00003.gguf is missing");
  const later = readModel(path.replace("00001-of", "00002-of"));
  expect(later.reason).toBe("it is part 2 of 3 of a model; choose big-00001-of-00003.gguf");
});
