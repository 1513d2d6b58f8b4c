import { describe, expect, test } from "vitest";
import { choiceOf, modelGroups } from "../../../src-renderer/models/model-groups.ts";
import { sampleFamily, sampleLevel, sampleLevelFile } from "../../helpers/sample-family.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";

const problem = { code: "MODEL_INVALID", message: "It is damaged.", data: {} };
const q2 = sampleLevelFile("q2", "Q2_K");
const broken = sampleLevelFile("q5", "Q5_K_M", { problem });
const q8 = sampleLevelFile("q8", "Q8_0", {
  copies: [{ modelId: "q8-copy", path: "/elsewhere/q8.gguf", source: "added" }],
});
const f16 = sampleLevelFile("f16", "F16");
const other = sampleModelFile({ id: "other", name: "Qwen", familyId: "qwen" });
const stray = sampleModelFile({ id: "stray", name: "stray.gguf" });
const files = [other, stray, f16, q2, q8, broken];
const family = sampleFamily([
  sampleLevel({ modelId: "q2", bitsPerWeight: 3.3 }),
  sampleLevel({ modelId: "q5", bitsPerWeight: 5.7 }),
  sampleLevel({ modelId: "q8-copy", bitsPerWeight: 8.5 }),
  sampleLevel({ modelId: "f16", bitsPerWeight: 16, isReference: true }),
  sampleLevel({ modelId: "gone" }),
]);
const families = [sampleFamily([sampleLevel({ modelId: "other" })], { id: "qwen", name: "Qwen" }), family];

describe("the models of the menu", () => {
  test("are the levels of the present one, then the other models, then what belongs to none", () => {
    const groups = modelGroups(files, families, q8);
    expect(groups.own?.name).toBe("SmolLM2 135M Instruct");
    expect(groups.own?.choices.map(({ file }) => file.id)).toEqual(["q2", "q5", "q8", "f16"]);
    expect(groups.others.map(({ name }) => name)).toEqual(["Qwen"]);
    expect(groups.rest).toEqual([stray]);
  });

  test("are all others where none answers here", () => {
    const groups = modelGroups(files, families, null);
    expect(groups.own).toBeNull();
    expect(groups.others).toHaveLength(2);
  });

  test("have digits in the order of their size; what cannot be used has none", () => {
    const groups = modelGroups(files, families, q8);
    expect(groups.own?.choices.map(({ digit }) => digit)).toEqual([1, null, 2, 3]);
    expect(choiceOf(groups, 2)?.file).toBe(q8);
    expect(choiceOf(groups, 4)).toBeNull();
    expect(groups.others[0]?.choices.map(({ digit }) => digit)).toEqual([null]);
  });

  test("have digits up to 9", () => {
    const many = Array.from({ length: 11 }, (_, index) => sampleLevelFile(`q${index}`, `Q${index}`));
    const [first = null] = many;
    const levels = many.map(({ id }) => sampleLevel({ modelId: id }));
    const digits = modelGroups(many, [sampleFamily(levels)], first).own?.choices.map(({ digit }) => digit);
    expect(digits?.slice(7)).toEqual([8, 9, null, null]);
  });

  test("say which one the others are compared with, where there are others", () => {
    const references = ({ own }: ReturnType<typeof modelGroups>) => own?.choices.map(({ isReference }) => isReference);
    expect(references(modelGroups(files, families, q8))).toEqual([false, false, false, true]);
    const alone = sampleFamily([sampleLevel({ modelId: "f16", isReference: true })]);
    expect(references(modelGroups(files, [alone], f16))).toEqual([false]);
  });

  test("say which is closest to the reference where there are several to choose from", () => {
    const closest = (levels: Parameters<typeof sampleFamily>[0]) =>
      modelGroups(files, [sampleFamily(levels)], f16).own?.choices.flatMap(({ file, isClosest }) =>
        isClosest ? [file.id] : [],
      );
    expect(closest(family.levels)).toEqual(["q8"]);
    expect(closest(family.levels.slice(2, 4))).toEqual([]);
  });
});
