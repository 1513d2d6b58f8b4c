import { describe, expect, test } from "vitest";
import { renderConversations, renderModels } from "../../../src-main/headless/listings.ts";
import { sampleConversation } from "../../helpers/sample-thread.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";

describe("the list of conversations", () => {
  test("has a line for each, with id, last use and title", () => {
    const two = [
      sampleConversation({ pinned: true, generating: true }),
      sampleConversation({ id: "a0a0a0a0a0a0", title: "Two\nlines \u001b[31m" }),
    ];
    expect(renderConversations(two)).toBe(
      "k3jd93kd02ms  2026-11-29 12:01  Capitals (pinned, answering)\na0a0a0a0a0a0  2026-11-29 12:01  Two lines [31m",
    );
  });

  test("says so where there is none", () => {
    expect(renderConversations([])).toBe("No conversations yet.");
  });
});

describe("the list of models", () => {
  const summary = {
    name: "Tiny",
    architecture: "llama",
    quantization: "Q4_K_M",
    trainedContextTokens: 2_048,
    layers: 2,
    sizeBytes: 98_362_432,
  };
  const model = sampleModelFile({
    id: "aaa",
    path: "/m/tiny.gguf",
    name: "Tiny",
    sizeBytes: 98_362_432,
    isDefault: true,
    summary,
  });

  test("stands in columns, with what is wrong in place of the path", () => {
    const problem = { code: "MODEL_INVALID", message: "It is no GGUF file.", data: {} };
    const broken = {
      ...model,
      id: "b",
      name: "notes",
      sizeBytes: 1_400_000_000,
      isDefault: false,
      summary: null,
      problem,
    };
    expect(renderModels([model, broken])).toBe(
      "aaa  98.4 MB  Q4_K_M  Tiny   (default) /m/tiny.gguf\n" +
        "b    1.4 GB           notes  cannot be used: It is no GGUF file.",
    );
  });

  test("says whose a file is, what it is for, and where it lies too", () => {
    const copies = [{ modelId: "c", path: "/hub/tiny.gguf", source: "hub-cache" as const }];
    const ollama = { ...model, isDefault: false, source: "ollama" as const, copies };
    const problem = { code: "MODEL_INVALID", message: "It holds an adapter.", data: {} };
    const lora = sampleModelFile({ id: "bbb", name: "Lora", kind: "adapter", source: "added", problem });
    expect(renderModels([ollama, lora])).toBe(
      "aaa  98.4 MB  Q4_K_M  Tiny  (Ollama) /m/tiny.gguf, also /hub/tiny.gguf\n" +
        "bbb  0.0 MB           Lora  (adapter, added) cannot be used: It holds an adapter.",
    );
  });

  test("says what happens where there is none", () => {
    expect(renderModels([])).toContain("fetched when it is first needed");
  });
});
