import fc from "fast-check";
import { expect, test } from "vitest";
import { familyTraits } from "../../../src-main/models/family.ts";
import type { GgufValue } from "../../helpers/gguf-writer.ts";
import { sampleHeader, type SampleModel } from "../../helpers/sample-header.ts";

type General = Readonly<Record<string, GgufValue>>;

function traitsOf(model: SampleModel, normDigest: string | null = null) {
  const traits = familyTraits(sampleHeader(model), normDigest);
  if (traits === null) throw new Error("The header names no architecture.");
  return traits;
}

const familyOf = (general: General, shape: SampleModel["shape"] = {}) => traitsOf({ general, shape }).familyId;

/** As the model's makers, several converters and older tools write one and the same model. */
const sameModel: readonly (readonly [string, readonly General[]])[] = [
  [
    "Llama 3.2 3B Instruct",
    [
      { name: "Llama 3.2 3B Instruct", basename: "Llama-3.2", finetune: "Instruct", size_label: "3B" },
      {
        name: "Llama-3.2-3B-Instruct",
        basename: "Llama-3.2-3B-Instruct",
        size_label: "3B",
        quantized_by: "Unsloth",
        "base_model.count": 1,
        "base_model.0.name": "Llama 3.2 3B Instruct",
      },
      { name: "Meta-Llama-3.2-3B-Instruct" },
      { name: "llama-3.2-3b-instruct-q4_k_m.gguf" },
      { name: "Llama 3.2 3B Instruct Unsloth Bnb 4bit" },
      { name: "models", basename: "Meta-Llama-3.2", finetune: "Instruct", size_label: "3B" },
      { "base_model.count": 1, "base_model.0.name": "Llama 3.2 3B Instruct" },
    ],
  ],
  [
    "Mistral 7B Instruct v0.3",
    [
      {
        name: "Mistral 7B Instruct v0.3",
        basename: "Mistral",
        finetune: "Instruct",
        version: "v0.3",
        size_label: "7B",
      },
      { name: "mistralai_Mistral-7B-Instruct-v0.3" },
      { name: "Mistral-7B-Instruct-v0.3-IQ4_XS" },
    ],
  ],
  [
    "Qwen2.5 Coder 0.5B Instruct",
    [
      { name: "Qwen2.5 Coder 0.5B Instruct", basename: "Qwen2.5-Coder", finetune: "Instruct", size_label: "0.5B" },
      { name: "qwen2.5-coder-0.5b-instruct" },
      { name: "Qwen 2.5 Coder 0.5B Instruct UD-Q4_K_XL" },
    ],
  ],
  ["gemma 2 2b it", [{ name: "Gemma 2 2b It" }, { basename: "gemma-2", finetune: "it", size_label: "2B" }]],
];

test.each(sameModel)("every way of calling %s is one family", (_, generals) => {
  expect(new Set(generals.map((general) => familyOf(general))).size).toBe(1);
});

test("different models are different families", () => {
  expect(new Set(sameModel.map(([, [general = {}]]) => familyOf(general))).size).toBe(sameModel.length);
});

test.each<readonly [string, General, General]>([
  [
    "a finetune and what it was made from",
    { name: "Llama 3.2 3B Instruct", basename: "Llama-3.2", finetune: "Instruct", size_label: "3B" },
    {
      name: "Hermes 3 Llama 3.2 3B",
      basename: "Hermes-3-Llama-3.2",
      size_label: "3B",
      "base_model.count": 1,
      "base_model.0.name": "Llama 3.2 3B",
    },
  ],
  ["a model and its chat version", { name: "Llama 3.2 3B" }, { name: "Llama 3.2 3B Instruct" }],
  ["two versions", { name: "Mistral 7B Instruct v0.2" }, { name: "Mistral 7B Instruct v0.3" }],
  ["two contexts", { name: "Phi 3 mini 4k instruct" }, { name: "Phi 3 mini 128k instruct" }],
  ["a context that reads like a size", { name: "Qwen2.5 7B Instruct" }, { name: "Qwen2.5 7B Instruct 1M" }],
  ["two finetunes of one model", { name: "Dolphin Llama 3 8B" }, { name: "Hermes Llama 3 8B" }],
])("%s are two families", (_, one, other) => {
  expect(familyOf(one)).not.toBe(familyOf(other));
});

test("two sizes are two families, also where they are called the same", () => {
  const general = { name: "Qwen3", basename: "Qwen3" };
  expect(familyOf(general, { layers: 3 })).not.toBe(familyOf(general, { layers: 4 }));
  expect(familyOf(general, { embedding: 64 })).not.toBe(familyOf(general, { embedding: 96 }));
  expect(familyOf(general, { vocabulary: 50 })).not.toBe(familyOf(general));
  expect(familyOf(general, { architecture: "qwen3" })).not.toBe(familyOf(general));
});

test("what converters write or leave out does not part a family", () => {
  const general = { name: "Qwen3 4B" };
  const id = familyOf(general);
  expect(traitsOf({ general, withOutput: false }).familyId).toBe(id);
  expect(traitsOf({ general, type: "f32" }).familyId).toBe(id);
  expect(traitsOf({ general, metadata: { "llama.attention.head_count_kv": 4 } }).familyId).toBe(id);
  expect(traitsOf({ general, metadata: { "llama.attention.head_count_kv": 2 } }).familyId).not.toBe(id);
});

test.each<readonly [string, General]>([
  ["nothing", {}],
  ["a folder", { name: "models" }],
  ["a commit", { name: "12fd25f77366fa6b3b4b768ec3050bf629380bac" }],
  ["what early converters wrote for all", { name: "LLaMA v2" }],
  ["a level", { name: "Q4_K_M" }],
])("a file that is called %s is told by its weights, else by its shape and tensors", (_, general) => {
  const unnamed = traitsOf({ general });
  expect(unnamed).toMatchObject({ statement: "unnamed", name: null });
  expect(unnamed.familyId).toBe(traitsOf({}).familyId);
  expect(unnamed.familyId).not.toBe(traitsOf({ shape: { layers: 3 } }).familyId);
  expect(traitsOf({ general }, "ab").familyId).toBe(traitsOf({}, "ab").familyId);
  expect(traitsOf({ general }, "ab").familyId).not.toBe(traitsOf({}, "cd").familyId);
});

test.each<readonly [General, string | null, string]>([
  [{ name: "x", basename: "Llama-3.2", finetune: "Instruct", size_label: "3B" }, "Llama 3.2 3B Instruct", "stated"],
  [{ basename: "Llama-3.2-3B-Instruct", finetune: "Instruct", size_label: "3B" }, "Llama 3.2 3B Instruct", "stated"],
  [{ name: "Meta-Llama-3-8B-Instruct.Q4_K_M" }, "Meta Llama 3 8B Instruct", "named"],
  [{ "base_model.0.name": "Qwen3 4B" }, "Qwen3 4B", "named"],
  [{ name: "tmp" }, null, "unnamed"],
])("%o is called %s", (general, name, statement) => {
  expect(traitsOf({ general })).toMatchObject({ name, statement });
});

test("a size in millions is told from a context by the parameters", () => {
  // About 2.1 million.
  const shape = { embedding: 640, vocabulary: 1_000 };
  expect(familyOf({ name: "Pico 2M" }, shape)).toBe(familyOf({ name: "Pico" }, shape));
  expect(familyOf({ name: "Pico 100M" }, shape)).not.toBe(familyOf({ name: "Pico" }, shape));
});

test("how many parameters it has is counted", () => {
  // 2 · 40 · 32 of embeddings and output, 32 of the norm, 2 · 32 · 32 of the layers.
  expect(traitsOf({}).parametersLabel).toBe("4.6K");
  expect(traitsOf({ shape: { embedding: 640, vocabulary: 1_000 } }).parametersLabel).toBe("2.1M");
});

test("a header without an architecture is of no family", () => {
  const header = sampleHeader();
  const metadata = new Map([...header.metadata].filter(([key]) => key !== "general.architecture"));
  expect(familyTraits({ ...header, metadata }, null)).toBeNull();
});

/** Traits of one header under many names. */
function naming(): (general: Readonly<Record<string, string>>) => ReturnType<typeof familyTraits> {
  const header = sampleHeader();
  return (general) => {
    const named = Object.entries(general).map(([key, value]) => [`general.${key}`, value] as const);
    return familyTraits({ ...header, metadata: new Map([...header.metadata, ...named]) }, null);
  };
}

const words = fc.array(fc.stringMatching(/^[A-Za-z]{3,8}[0-9]?$/), { minLength: 1, maxLength: 4 });
const levels = fc.constantFrom("", "Q4_K_M", "q8_0", "IQ3_XXS", "BF16", "f16", "UD-Q2_K_XL", "gguf", "Q5_K_S.gguf");

test("ids are those of every id, and the same name gives the same one, whatever its case, separators and level", () => {
  const traits = naming();
  fc.assert(
    fc.property(words, fc.constantFrom(" ", "-", "_"), levels, levels, (name, separator, one, other) => {
      const plain = traits({ name: name.join(" ") });
      const spelled = traits({ name: [...name, one, other].join(separator).toUpperCase() });
      expect(spelled?.familyId).toBe(plain?.familyId);
      expect(plain?.familyId).toMatch(/^[0-9a-hjkmnp-tv-z]{12}$/);
    }),
  );
});

test("one more word makes another family", () => {
  const traits = naming();
  fc.assert(
    fc.property(words, (name) => {
      const tuned = [...name, "zebra"].join("-");
      expect(traits({ name: tuned })?.familyId).not.toBe(traits({ name: name.join("-") })?.familyId);
    }),
  );
});

test("no header makes it fail", () => {
  const traits = naming();
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("name", "basename", "finetune", "version", "base_model.0.name"), fc.string()),
      (general) => {
        expect(traits(general)?.familyId).toHaveLength(12);
      },
    ),
  );
});
