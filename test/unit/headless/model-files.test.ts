import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { MemoryPlan } from "../../../src-main/contract/memory-plan.ts";
import { renderMemoryPlan, renderModelDetails } from "../../../src-main/headless/model-file-text.ts";
import { commandSession, jsonFrom } from "../../helpers/command-session.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

// Processes start and end in these tests.
vi.setConfig({ testTimeout: 60_000 });

function sessionWithFile(content = "GGUF") {
  const folder = temporaryFolder();
  const path = join(folder, "mine.gguf");
  writeFileSync(path, content);
  return { session: commandSession({ folder }), path };
}

test("inspect shows a file that is on no list", async () => {
  const { session, path } = sessionWithFile();
  expect(await jsonFrom(session, "models", "inspect", path)).toMatchObject({ path, kind: "model" });
});

test("a file is looked for from the folder in which the command is given", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "mine.gguf"), "GGUF");
  const session = commandSession({ folder, workingFolder: folder });
  expect(await jsonFrom(session, "models", "inspect", "mine.gguf")).toMatchObject({ path: join(folder, "mine.gguf") });
  expect(await jsonFrom(session, "models", "plan", "mine.gguf")).toMatchObject({ path: join(folder, "mine.gguf") });
  expect(await jsonFrom(session, "models", "check", "mine.gguf")).toEqual({ ok: true, problems: [] });
});

test("plan takes context, users and budget", async () => {
  const { session, path } = sessionWithFile();
  const words = ["models", "plan", path, "--context", "100", "--users", "4", "--budget", "804"];
  expect(await jsonFrom(session, ...words)).toMatchObject({
    weightsBytes: 4,
    kvBytesPerToken: 1,
    computeBytes: 0,
    reserveBytes: 0,
    maxTokens: 800,
    maxTokensPerUser: 200,
    contextTokens: 100,
    users: 4,
  });
  expect(await session.run("models", "plan", path, "--users", "none")).toBe(2);
});

test("check ends with 0 for a whole file, and with 1 and the problems for another", async () => {
  const { session, path } = sessionWithFile();
  expect(await jsonFrom(session, "models", "check", path)).toEqual({ ok: true, problems: [] });
  writeFileSync(path, "Dear Sir or Madam");
  const before = session.output().length;
  expect(await session.run("models", "check", path, "--json")).toBe(1);
  expect(JSON.parse(session.output().slice(before))).toMatchObject({ ok: false, problems: [expect.any(String)] });
  expect(session.errors()).toMatch(/^reprise: mine\.gguf cannot be used: the check found a problem\.[^\n]+\n$/);
  expect(await session.run("models", "check", `${path}.missing`)).toBe(1);
});

test("retry loads a file again over which the engine stopped", async () => {
  const folder = temporaryFolder();
  const session = commandSession({ folder });
  const path = join(folder, "crash.gguf");
  writeFileSync(path, "GGUF");
  expect(await session.run("chat", "--model", path, "hello")).toBe(1);
  expect(session.errors()).toContain("The engine stopped while it was loading crash");
  expect(await session.run("chat", "--model", path, "hello")).toBe(1);
  expect(session.errors()).toContain("crash is not loaded, because the engine stopped over it the last time");
  expect(await session.run("models", "retry", path)).toBe(1);
  expect(session.errors().match(/while it was loading crash/g)).toHaveLength(2);
  const [model] = await jsonFrom<{ id: string }[]>(session, "models");
  expect(await jsonFrom(session, "models", "retry", model?.id ?? "")).toEqual({ modelId: model?.id });
});

describe("for a person", () => {
  const plan: MemoryPlan = {
    path: "/models/a.gguf",
    weightsBytes: 7.1e9,
    adapterBytes: 0,
    kvBytesPerToken: 131_072,
    computeBytes: 2.1e8,
    reserveBytes: 1.61e9,
    maxTokens: 71_680,
    maxTokensPerUser: 17_920,
    contextTokens: 8_192,
    users: 4,
    budgetBytes: 1.6e10,
    keyType: "f16",
    valueType: "f16",
    flashAttention: true,
    cacheBytes: 4.29e9,
    totalBytes: 1.16e10,
    missingBytes: 0,
    trainedContextTokens: 32_768,
    attention: "gqa",
    layers: { all: 32, window: 0, state: 0, windowTokens: 0 },
    sources: {
      weightsBytes: "metadata",
      adapterBytes: "metadata",
      kvBytesPerToken: "formula",
      cacheBytes: "formula",
      computeBytes: "estimate",
      reserveBytes: "rule",
      budgetBytes: "machine",
      contextTokens: "rule",
    },
    measured: null,
  };

  test("a plan says what it takes and what fits", () => {
    expect(renderMemoryPlan(plan).split("\n")).toEqual([
      "Weights:   7.1 GB",
      "Cache:     4.3 GB for 4 users × 8,192 tokens: 131,072 bytes each (grouped-query attention, F16, flash attention)",
      "Computing: 210.0 MB, estimated",
      "Together:  11.6 GB of 16.0 GB, with 1.6 GB left for the system",
      "Fits:      71,680 tokens, or 4 users × 17,920 (it was trained for 32,768)",
    ]);
  });

  test("a plan warns, and says what was measured", () => {
    const text = renderMemoryPlan({
      ...plan,
      maxTokens: 0,
      missingBytes: 2e9,
      measured: { contextTokens: 2_048, weightsBytes: 7.1e9, cacheBytes: 2.7e8, computeBytes: 2e8 },
    });
    expect(text).toContain("Fits:      no context at all");
    expect(text).toContain("Beware:    2.0 GB are missing. It may be loaded anyway");
    expect(text).toContain("Measured:  loaded now with 2,048 tokens: 7.1 GB + 270.0 MB + 200.0 MB");
  });

  test("a file's own words cannot steer the terminal", () => {
    const text = renderModelDetails({
      path: "/models/a.gguf",
      kind: "adapter",
      files: [{ path: "/models/a.gguf", sizeBytes: 2e6 }],
      summary: null,
      problem: "It is odd.",
      tensors: 3,
      tensorTypes: [{ type: "F16", tensors: 3, bytes: 1.9e6 }],
      metadata: { "general.name": "a\u001b[31m\nb", "tokenizer.ggml.tokens": { length: 9 }, "x.y": true },
    });
    expect(text.split("\n")).toEqual([
      "Kind:      an adapter for a model",
      "Files:     1, 2.0 MB",
      "Tensors:   3: F16 1.9 MB",
      "Problem:   It is odd.",
      "",
      "general.name = a[31m b",
      "tokenizer.ggml.tokens = [9]",
      "x.y = true",
    ]);
  });
});
