import { expect, test } from "vitest";
import type { ModelFile } from "../../../src-main/contract/model.ts";
import { namedByFamily } from "../../../src-renderer/state/named-by-family.ts";
import { sampleFamily } from "../../helpers/sample-family.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";

const summary = (quantization: string | null) =>
  ({ ...sampleModelFile().summary, quantization }) as NonNullable<ModelFile["summary"]>;
const families = [sampleFamily([], { id: "f", name: "Lantern 1B" })];
const namesOf = (files: readonly ModelFile[]) => namedByFamily(files, families).map(({ name }) => name);

test("every level of a model has the model's name, whatever its file says", () => {
  const level = (name: string, quantization: string) =>
    sampleModelFile({ id: quantization, name, familyId: "f", summary: summary(quantization) });
  expect(namesOf([level("lantern-checkpoint-7", "Q8_0"), level("Lantern 1B", "Q4_0")])).toEqual([
    "Lantern 1B",
    "Lantern 1B",
  ]);
});

test("a file of no known model, and one that does not say its level, keep their own", () => {
  const other = sampleModelFile({ name: "other", familyId: "g", summary: summary("Q8_0") });
  const alone = sampleModelFile({ name: "alone", familyId: null, summary: summary("Q8_0") });
  const unsaid = sampleModelFile({ name: "fine", familyId: "f", summary: summary(null) });
  const unread = sampleModelFile({ name: "unread", familyId: "f", summary: null });
  expect(namesOf([other, alone, unsaid, unread])).toEqual(["other", "alone", "fine", "unread"]);
});
