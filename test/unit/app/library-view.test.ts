import { describe, expect, test } from "vitest";
import { familyCards, familyIds, modelFiles, type LibraryEntry } from "../../../src-main/app/library-view.ts";
import type { FamilyTraits, ModelFacts } from "../../../src-main/contract/model-library.ts";
import { defaultFamilySettings, defaultLoadOptions } from "../../../src-main/contract/model-settings.ts";

const qwen: FamilyTraits = {
  familyId: "qwen",
  statement: "stated",
  name: "Qwen3 4B",
  weightsMark: "q",
  parametersLabel: "4B",
};

function facts(level: string, traits: FamilyTraits | null): ModelFacts {
  const summary = {
    name: "Whatever",
    architecture: "qwen3",
    quantization: level,
    trainedContextTokens: null,
    layers: 2,
    sizeBytes: 1,
  };
  return { version: 2, kind: "model", summary, reason: null, traits, footprint: null };
}

/** `id`: also the name and the path. */
function entry(id: string, changes: Partial<LibraryEntry> = {}): LibraryEntry {
  const path = `/m/${id}`;
  return {
    id,
    path,
    realPath: path,
    source: "own",
    isDefault: false,
    name: id,
    sizeBytes: 1,
    stamp: { path, sizeBytes: 1, modifiedMs: 1 },
    facts: facts("Q4_K_M", qwen),
    problem: null,
    sha256: null,
    ...changes,
  };
}

const files = (entries: readonly LibraryEntry[]) => modelFiles(entries, () => defaultLoadOptions);
const cards = (entries: readonly LibraryEntry[]) =>
  familyCards(entries, files(entries), {
    settings: (familyId) => ({ ...defaultFamilySettings, systemPrompt: familyId }),
    speedOf: () => null,
  });

describe("files", () => {
  test("the default model is first, the others by name", () => {
    const listed = files([entry("b"), entry("a"), entry("z", { isDefault: true })]);
    expect(listed.map(({ id }) => id)).toEqual(["z", "a", "b"]);
  });

  test("the very same file is listed once, by where it lies or by its hash, the user's own first", () => {
    const listed = files([
      entry("cache-2", { source: "hub-cache", realPath: "/blobs/1" }),
      entry("cache-1", { source: "hub-cache", realPath: "/blobs/1", sha256: "aa" }),
      entry("own", { sha256: "aa" }),
      entry("other", { sha256: "bb" }),
      entry("unknown"),
    ]);
    expect(listed.map(({ id, copies }) => [id, copies.map(({ modelId }) => modelId)])).toEqual([
      ["other", []],
      ["own", ["cache-1", "cache-2"]],
      ["unknown", []],
    ]);
    expect(listed[1]?.copies[0]).toEqual({ modelId: "cache-1", path: "/m/cache-1", source: "hub-cache" });
  });

  test("another program's file is read-only", () => {
    const sources = ["own", "added", "lm-studio", "jan", "ollama", "hub-cache", "watched"] as const;
    const listed = files(sources.map((source) => entry(source, { source })));
    expect(listed.filter(({ isReadOnly }) => !isReadOnly).map(({ source }) => source)).toEqual(["added", "own"]);
  });

  test("what is no model, and what was not read, belongs to no family", () => {
    const [adapter, unread] = files([
      entry("a", {
        facts: { version: 2, kind: "adapter", summary: null, reason: "it is none", traits: null, footprint: null },
      }),
      entry("b", { facts: null }),
    ]);
    expect(adapter).toMatchObject({ kind: "adapter", familyId: null });
    expect(unread).toMatchObject({ kind: "model", familyId: null });
  });
});

describe("families", () => {
  const unnamed = { ...qwen, familyId: "weights", statement: "unnamed", name: null } as const;

  test("a file that says nothing belongs to the model that has its weights", () => {
    const known = entry("named");
    const ids = familyIds([entry("same", { facts: facts("Q8_0", unnamed) }), known]);
    expect(Object.fromEntries(ids)).toEqual({ same: "qwen", named: "qwen" });
    const others = familyIds([entry("other", { facts: facts("Q8_0", { ...unnamed, weightsMark: "x" }) }), known]);
    expect(others.get("other")).toBe("weights");
  });

  test("it stays by itself where two models have its weights, or where they could not be read", () => {
    const tuned = entry("tuned", { facts: facts("Q8_0", { ...qwen, familyId: "tuned" }) });
    const same = entry("same", { facts: facts("Q8_0", unnamed) });
    expect(familyIds([same, entry("named"), tuned]).get("same")).toBe("weights");
    const unmarked = { ...unnamed, weightsMark: null };
    const known = entry("named", { facts: facts("Q8_0", { ...qwen, weightsMark: null }) });
    expect(familyIds([entry("same", { facts: facts("Q8_0", unmarked) }), known]).get("same")).toBe("weights");
  });

  test("a card has all levels of a model by size, with what is set for it", () => {
    const small = { ...qwen, familyId: "small", name: "Qwen3 0.6B", parametersLabel: "596M" };
    const named = { ...qwen, statement: "named", name: "my qwen" } as const;
    expect(
      cards([
        entry("big", { sizeBytes: 9, facts: facts("Q8_0", named) }),
        entry("low", { sizeBytes: 3, source: "ollama", facts: facts("Q2_K", qwen) }),
        entry("tiny", { facts: facts("F16", small) }),
        entry("broken", { facts: { ...facts("", null), summary: null, reason: "it is damaged" } }),
      ]),
    ).toMatchObject([
      {
        id: "small",
        name: "Qwen3 0.6B",
        architecture: "qwen3",
        parametersLabel: "596M",
        levels: [{ modelId: "tiny", level: "F16", sizeBytes: 1, source: "own", problem: null }],
        settings: { ...defaultFamilySettings, systemPrompt: "small" },
      },
      {
        id: "qwen",
        name: "Qwen3 4B",
        architecture: "qwen3",
        parametersLabel: "4B",
        levels: [
          { modelId: "low", level: "Q2_K", sizeBytes: 3, source: "ollama", problem: null },
          { modelId: "big", level: "Q8_0", sizeBytes: 9, source: "own", problem: null },
        ],
        settings: { ...defaultFamilySettings, systemPrompt: "qwen" },
      },
    ]);
  });

  test("a card is called as the app calls its own model, else as the files say, else as the first file", () => {
    expect(cards([entry("ours", { isDefault: true, name: "SmolLM2" })])[0]?.name).toBe("SmolLM2");
    expect(cards([entry("file", { facts: facts("F16", unnamed) })])[0]?.name).toBe("file");
  });
});
