import { expect, test } from "vitest";
import type { ModelFile } from "../../../src-main/contract/model.ts";
import { levelName, levelsFor, pairFor } from "../../../src-renderer/compare/compared-levels.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";

const file = (id: string, sizeBytes: number, familyId: string | null = "family"): ModelFile =>
  sampleModelFile({ id, name: id, sizeBytes, familyId });

const [small, middle, large, stranger] = [file("s", 1), file("m", 2), file("l", 3), file("x", 9, null)];
const all = [small, middle, stranger, large];
const ids = (files: readonly ModelFile[] | null) => files?.map(({ id }) => id) ?? null;

test("the levels of a model are its own, the largest first", () => {
  expect(ids(levelsFor(all, middle))).toEqual(["l", "m", "s"]);
  expect(levelsFor(all, stranger)).toEqual([]);
  expect(levelsFor(all, null)).toEqual([]);
});

test("the conversation's model is held against the most precise other level of it", () => {
  expect(ids(pairFor(all, small, null))).toEqual(["s", "l"]);
  expect(ids(pairFor(all, large, null))).toEqual(["l", "m"]);
  expect(ids(pairFor(all, stranger, null))).toEqual(["x", "s"]);
});

test("a choice counts as long as its files are there", () => {
  expect(ids(pairFor(all, small, ["m", "s"]))).toEqual(["m", "s"]);
  expect(ids(pairFor(all, small, ["gone", "m"]))).toEqual(["s", "m"]);
  expect(ids(pairFor(all, small, ["m", "gone"]))).toEqual(["m", "l"]);
});

test("of one model there is no pair", () => {
  expect(pairFor([small], small, null)).toBeNull();
  expect(pairFor([], null, null)).toBeNull();
});

test("a level is called by itself, and by the model's name where the file does not say", () => {
  const summary = { ...sampleModelFile().summary, quantization: "Q4_0" } as NonNullable<ModelFile["summary"]>;
  expect(levelName(sampleModelFile({ name: "Tiny", summary }))).toBe("Q4_0");
  expect(levelName(sampleModelFile({ name: "Tiny", summary: { ...summary, quantization: null } }))).toBe("Tiny");
});
