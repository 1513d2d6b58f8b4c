/** What the engine says of files that are not loaded, over its contract. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OptionProblem } from "../../src-main/contract/errors.ts";
import type { LoadOptionsPatch } from "../../src-main/contract/model-settings.ts";
import { codedError } from "../helpers/coded-error.ts";
import { engineInProcess, load } from "../helpers/engine-turns.ts";
import { ggufBytes } from "../helpers/gguf-writer.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { tinyGguf, tinySplitGguf, writeTinyGguf } from "../helpers/tiny-gguf.ts";
import { writeTinyLora } from "../helpers/tiny-lora.ts";

const client = engineInProcess();

/** Both parts; returns the first one's path. */
function writeSplit(): string {
  const folder = temporaryFolder();
  const [first, second] = tinySplitGguf();
  writeFileSync(join(folder, "tiny-00002-of-00002.gguf"), second);
  const path = join(folder, "tiny-00001-of-00002.gguf");
  writeFileSync(path, first);
  return path;
}

test("the details of a model: kind, files, tensors by type, values", async () => {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: "Small One" });
  const details = await client.details({ path });
  expect(details).toMatchObject({
    kind: "model",
    problem: null,
    summary: { name: "Small One", architecture: "llama" },
    metadata: { "llama.block_count": 2, "tokenizer.ggml.tokens": { length: expect.any(Number) as number } },
  });
  expect(details.files).toEqual([{ path, sizeBytes: details.summary?.sizeBytes }]);
  expect(details.tensorTypes.map(({ type }) => type)).toEqual(["F16", "F32"]);
});

test("an adapter is whole, but no model", async () => {
  const path = join(temporaryFolder(), "adapter.gguf");
  const tensors = [{ name: "blk.0.attn_q.weight.lora_a", shape: [8, 4], values: new Float32Array(32) }];
  writeFileSync(path, ggufBytes({ "general.architecture": "llama", "general.type": "adapter" }, tensors));
  expect(await client.details({ path })).toMatchObject({ kind: "adapter", summary: null, problem: null });
  expect(await client.check({ path })).toEqual({ ok: true, problems: [] });
  await expect(client.inspect({ path })).rejects.toThrow(codedError("MODEL_INVALID"));
});

test("a model in two files is planned for, loads and is measured as one", async () => {
  const path = writeSplit();
  const before = await client.plan({ path, contextTokens: 1_024 });
  expect(before).toMatchObject({ measured: null, contextTokens: 1_024, users: 1, attention: "gqa" });
  expect(await client.check({ path })).toEqual({ ok: true, problems: [] });
  await load(client, path, { contextTokens: 1_024 });
  const { measured } = await client.plan({ path });
  expect(measured).toMatchObject({
    contextTokens: 1_024,
    weightsBytes: before.weightsBytes,
    cacheBytes: before.cacheBytes,
  });
  rmSync(path.replace("00001", "00002"));
  const sentence = "It is incomplete: its part tiny-00002-of-00002.gguf is missing.";
  expect(await client.check({ path })).toEqual({ ok: false, problems: [sentence] });
  expect(await client.details({ path })).toMatchObject({ kind: "model", summary: null, problem: sentence });
});

test("a plan takes users, budget and cache types", async () => {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"));
  const plain = await client.plan({ path, contextTokens: 512 });
  const four = await client.plan({
    path,
    contextTokens: 512,
    users: 4,
    options: { keyType: "q8_0", valueType: "q8_0" },
    budgetBytes: 2e9,
  });
  expect(four.cacheBytes).toBe(plain.cacheBytes * 4 * (34 / 64));
  expect(four.maxTokensPerUser).toBeLessThan(four.maxTokens);
  expect(four.sources).toMatchObject({ budgetBytes: "given", contextTokens: "given", cacheBytes: "formula" });
  expect(plain.sources).toMatchObject({ budgetBytes: "machine", weightsBytes: "metadata" });
});

test("a plan with load options says what each would take, and refuses what a load would refuse", async () => {
  const folder = temporaryFolder();
  const path = await writeTinyGguf(join(folder, "tiny.gguf"));
  const lora = await writeTinyLora(join(folder, "lora.gguf"));
  const planWith = (options: LoadOptionsPatch) => client.plan({ path, options });
  const plain = await planWith({});
  const adapted = await planWith({ loras: [{ path: lora, scale: 0.5 }] });
  // Rank 4, 128 inputs and 64 outputs, in F16.
  expect(adapted.adapterBytes).toBe(4 * (128 + 64) * 2);
  expect(adapted.totalBytes).toBe(plain.totalBytes + adapted.adapterBytes);
  expect(await planWith({ loras: [{ path: lora, scale: 0 }] })).toMatchObject({ adapterBytes: 0 });

  const long = await planWith({ contextTokens: 4_096, flashAttention: "off" });
  expect(long).toMatchObject({ contextTokens: 4_096, flashAttention: false, sources: { contextTokens: "given" } });
  expect(await client.plan({ path, contextTokens: 512, options: { contextTokens: 4_096 } })).toMatchObject({
    contextTokens: 512,
  });

  const refused = (problem: OptionProblem, file: string) => codedError("OPTIONS_REFUSED", { problem, file });
  await expect(planWith({ valueType: "q8_0", flashAttention: "off" })).rejects.toThrow(
    refused("values-need-flash-attention", "tiny.gguf"),
  );
  await expect(planWith({ loras: [{ path: join(folder, "none.gguf"), scale: 1 }] })).rejects.toThrow(
    refused("adapter-missing", "none.gguf"),
  );
});

test("a check tells all that is wrong, a load refuses it, and the engine goes on", async () => {
  const bytes = tinyGguf();
  // A token's text made the same as another's: llama.cpp would end the process.
  const at = bytes.indexOf("<|im_start|>");
  bytes.write("<|im_end|>  ", at);
  bytes.write("<|im_end|>  ", bytes.indexOf("<|endoftext|>"));
  bytes.write("\u0000", bytes.indexOf("llama.embedding_length"));
  const path = join(temporaryFolder(), "odd.gguf");
  writeFileSync(path, bytes);
  const { ok, problems } = await client.check({ path });
  expect(ok).toBe(false);
  expect(problems).toContain("Its embedding length is missing or zero.");
  await expect(load(client, path)).rejects.toThrow(codedError("MODEL_INVALID"));
  expect(await client.ping()).toMatchObject({ pid: process.pid });
});

test("a token twice in the vocabulary is found before it can end the process", async () => {
  const bytes = tinyGguf();
  bytes.write("<|im_start|>", bytes.indexOf("<|im_start|>"));
  const first = bytes.indexOf("Ġthe", 0, "utf8");
  const twin = bytes.indexOf("Ġand", first, "utf8");
  bytes.write("Ġthe", twin, "utf8");
  const path = join(temporaryFolder(), "twins.gguf");
  writeFileSync(path, bytes);
  expect(await client.check({ path })).toEqual({ ok: false, problems: ["Its vocabulary has a token twice."] });
  await expect(load(client, path)).rejects.toThrow("its vocabulary has a token twice");
});

test("a file that is not there is no fault of it", async () => {
  const path = join(temporaryFolder(), "none.gguf");
  await expect(client.check({ path })).rejects.toThrow(codedError("MODEL_MISSING", { path }));
  await expect(client.details({ path })).rejects.toThrow(codedError("MODEL_MISSING", { path }));
  await expect(client.plan({ path })).rejects.toThrow(codedError("MODEL_MISSING", { path }));
});
