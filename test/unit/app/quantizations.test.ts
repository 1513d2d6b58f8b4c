import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Quantization, QuantizeInput } from "../../../src-main/contract/quantization.ts";
import { fakeQuantizer, predictedBytes, type FakeQuantizer } from "../../helpers/fake-quantizer.ts";
import { openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

vi.setConfig({ testTimeout: 30_000 });

let quantizer: FakeQuantizer;
let app: Awaited<ReturnType<typeof openTestApp>>;
/** A model outside the models folder, and a folder of its own. */
let folder: string;
let source: string;

beforeEach(async () => {
  quantizer = fakeQuantizer();
  app = await openTestApp({ launchQuantizer: quantizer.launch });
  folder = temporaryFolder();
  source = writeModel(folder, "Tiny-F16.gguf");
});

const input = (change: Partial<QuantizeInput> = {}): QuantizeInput => ({
  source: { path: source },
  level: "Q4_K_M",
  ...change,
});
const quantize = (change: Partial<QuantizeInput> = {}) => app.client.models.quantize(input(change));

/** The quantization, once it is as wanted. */
async function when(id: string, isWanted: (quantization: Quantization) => boolean): Promise<Quantization> {
  const all = await until(await app.client.models.quantizations(), (list) =>
    list.some((each) => each.id === id && isWanted(each)),
  );
  const found = all.find((each) => each.id === id);
  if (found === undefined) throw new Error("It is not on the list.");
  return found;
}
const inState = (id: string, state: Quantization["state"]) => when(id, (each) => each.state === state);

describe("a plan", () => {
  test("says what the file will take, and where it will be", async () => {
    const plan = await app.client.models.planQuantization(input({ level: "q4_k" }));
    expect(plan).toEqual({
      sourcePath: source,
      level: "Q4_K_M",
      sourceBytes: 4,
      predictedBytes,
      freeBytes: expect.any(Number) as number,
      needsImatrix: false,
      isLossySource: false,
      outputPath: join(folder, "Tiny-Q4_K_M.gguf"),
      outputExists: false,
    });
    expect(plan.freeBytes).toBeGreaterThan(0);
    expect(readdirSync(folder)).toEqual(["Tiny-F16.gguf"]);
    expect(quantizer.running()).toBe(0);
  });

  test("takes a model of the list, and a folder for the file", async () => {
    const outputPath = temporaryFolder();
    const { id: modelId } = await app.client.models.add({ path: source });
    const plan = await app.client.models.planQuantization(input({ source: { modelId }, outputPath }));
    expect(plan).toMatchObject({ sourcePath: source, outputPath: join(outputPath, "Tiny-Q4_K_M.gguf") });
  });

  test("says that there is a file already", async () => {
    const outputPath = writeModel(folder, "Tiny-Q4_K_M.gguf");
    expect(await app.client.models.planQuantization(input())).toMatchObject({ outputPath, outputExists: true });
  });

  test.each<[string, Partial<QuantizeInput>, string, string]>([
    ["a level that there is not", { level: "Q9" }, "INVALID_INPUT", "there is no level named Q9"],
    ["a model that is not there", { source: { path: "/no/model.gguf" } }, "MODEL_MISSING", "/no/model.gguf"],
    ["a model that is not listed", { source: { modelId: "none" } }, "NOT_FOUND", "not on the list"],
    ["a file that lists would not find", { outputPath: "/tmp/model.bin" }, "INVALID_INPUT", "does not end in .gguf"],
    ["a file in no folder", { outputPath: "model.gguf" }, "INVALID_INPUT", "does not say in which folder"],
  ])("of %s is refused", async (_, change, code, sentence) => {
    await expect(app.client.models.planQuantization(input(change))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(sentence) as string,
    });
  });

  test("of a model into its own file is refused, also with overwrite", async () => {
    await expect(quantize({ outputPath: source, overwrite: true })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(readFileSync(source, "utf8")).toBe("GGUF");
  });

  test("whose folder cannot be written to is refused", async () => {
    const outputPath = join(source, "below", "Tiny-Q4_K_M.gguf");
    await expect(app.client.models.planQuantization(input({ outputPath }))).rejects.toMatchObject({
      code: "FOLDER_UNWRITABLE",
      data: { path: join(source, "below") },
    });
  });
});

describe("a quantization", () => {
  test("is made in the background under another name, and listed at once when it is whole", async () => {
    const { id, state, path } = await quantize({ threads: 3 });
    expect({ state, path }).toEqual({ state: "waiting", path: join(folder, "Tiny-Q4_K_M.gguf") });
    const making = await quantizer.next();
    expect(making.request).toMatchObject({ sourcePath: source, fileType: 15, imatrixPath: null, threads: 3 });
    expect(making.request.outputPath).toMatch(/\.reprise-\d+-\w+\.quantizing$/);
    making.write(250);
    expect(await when(id, ({ fraction }) => fraction > 0)).toMatchObject({ state: "running", fraction: 0.25 });
    expect(existsSync(path)).toBe(false);
    expect((await app.client.models.list()).map((model) => model.path)).not.toContain(path);
    making.finish();
    expect(await inState(id, "done")).toMatchObject({
      fraction: 1,
      bytes: predictedBytes,
      predictedBytes,
      error: null,
    });
    expect((await app.client.models.list()).map((model) => model.path)).toContain(path);
    expect(readdirSync(folder).toSorted()).toEqual(["Tiny-F16.gguf", "Tiny-Q4_K_M.gguf"]);
    expect(quantizer.running()).toBe(0);
  });

  test("leaves a core to everything else, unless told otherwise", async () => {
    await quantize();
    expect((await quantizer.next()).request.threads).toBe(Math.max(1, availableParallelism() - 1));
  });

  test("in the models folder needs no place of its own on the list", async () => {
    source = writeModel(app.modelsFolder, "Tiny-F16.gguf");
    const { id, path } = await quantize();
    (await quantizer.next()).finish();
    await inState(id, "done");
    const listed = (await app.client.models.list()).filter((model) => model.path === path);
    expect(listed).toHaveLength(1);
    await expect(app.client.models.remove({ modelId: String(listed[0]?.id) })).rejects.toThrow("models folder");
  });

  test("waits until the one before it is done", async () => {
    const [one, two] = [await quantize(), await quantize({ level: "Q8_0" })];
    const making = await quantizer.next();
    await inState(one.id, "running");
    expect(await when(two.id, () => true)).toMatchObject({ state: "waiting" });
    making.finish();
    (await quantizer.next()).finish();
    await inState(two.id, "done");
    expect(readdirSync(folder)).toContain("Tiny-Q8_0.gguf");
  });

  test("is not begun twice", async () => {
    await quantize();
    await expect(quantize()).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("before it begins", () => {
  test("a level that needs an importance matrix asks for one", async () => {
    quantizer.forecast = { ...quantizer.forecast, needsImatrix: true };
    await expect(quantize({ level: "IQ1_S" })).rejects.toMatchObject({
      code: "IMATRIX_NEEDED",
      data: { level: "IQ1_S" },
    });
  });

  test("a model that lost precision already asks for consent", async () => {
    quantizer.forecast = { ...quantizer.forecast, isLossySource: true };
    await expect(quantize()).rejects.toMatchObject({
      code: "REQUANTIZE_LOSSY",
      data: { path: source, level: "Q4_K_M" },
      message: expect.stringMatching(/quantized already.*Nothing was written/) as string,
    });
    const { id } = await quantize({ allowRequantize: true });
    (await quantizer.next()).finish();
    await inState(id, "done");
  });

  test("a file that is there already is kept, unless it may be replaced", async () => {
    const path = join(folder, "Tiny-Q4_K_M.gguf");
    writeFileSync(path, "mine");
    await expect(quantize()).rejects.toMatchObject({ code: "FILE_EXISTS", data: { path } });
    expect(readFileSync(path, "utf8")).toBe("mine");
    const { id } = await quantize({ overwrite: true });
    (await quantizer.next()).finish();
    await inState(id, "done");
    expect(readFileSync(path, "utf8")).toHaveLength(predictedBytes);
  });

  test("a disk without room is told", async () => {
    quantizer.forecast = { ...quantizer.forecast, predictedBytes: Number.MAX_SAFE_INTEGER };
    await expect(quantize()).rejects.toMatchObject({ code: "STORAGE_FAILED", data: { reason: "disk-full" } });
    expect(readdirSync(folder)).toEqual(["Tiny-F16.gguf"]);
  });
});

describe("when it does not end well", () => {
  test("a process that dies takes its file along, and the next one is made", async () => {
    const [one, two] = [await quantize(), await quantize({ level: "Q8_0" })];
    const making = await quantizer.next();
    making.write(100);
    making.die({ code: null, signal: "SIGABRT", output: "GGML_ASSERT(ne > 0) failed\n" });
    const { error } = await inState(one.id, "failed");
    expect(error).toMatchObject({ code: "QUANTIZE_FAILED" });
    expect(error?.message).toMatch(/GGML_ASSERT\(ne > 0\) failed.*Nothing of what it was making was kept/);
    (await quantizer.next()).finish();
    await inState(two.id, "done");
    expect(readdirSync(folder).toSorted()).toEqual(["Tiny-F16.gguf", "Tiny-Q8_0.gguf"]);
  });

  test("what the quantizer says is told as it said it", async () => {
    const { id } = await quantize();
    const error = { code: "QUANTIZE_FAILED", message: "It is not to be.", data: { reason: "fate" } };
    (await quantizer.next()).say({ type: "failed", error });
    expect((await inState(id, "failed")).error).toEqual(error);
  });

  test("cancelled, it leaves nothing and no process", async () => {
    const { id } = await quantize();
    (await quantizer.next()).write(100);
    await app.client.models.cancelQuantization({ quantizationId: id });
    expect(await inState(id, "cancelled")).toMatchObject({ error: null, bytes: null });
    expect(readdirSync(folder)).toEqual(["Tiny-F16.gguf"]);
    expect(quantizer.running()).toBe(0);
  });

  test("cancelled while it waits, it is never begun", async () => {
    const [one, two] = [await quantize(), await quantize({ level: "Q8_0" })];
    await app.client.models.cancelQuantization({ quantizationId: two.id });
    await inState(two.id, "cancelled");
    (await quantizer.next()).finish();
    await inState(one.id, "done");
    const { id } = await quantize({ level: "Q6_K" });
    expect((await quantizer.next()).request.fileType).toBe(18);
    expect(await when(two.id, () => true)).toMatchObject({ state: "cancelled" });
    expect(await when(id, () => true)).toMatchObject({ level: "Q6_K" });
  });

  test("one that has ended leaves the list when it is cancelled, and its file stays", async () => {
    const { id, path } = await quantize();
    (await quantizer.next()).finish();
    await inState(id, "done");
    await app.client.models.cancelQuantization({ quantizationId: id });
    await until(await app.client.models.quantizations(), (all) => all.length === 0);
    expect(existsSync(path)).toBe(true);
    await expect(app.client.models.cancelQuantization({ quantizationId: id })).rejects.toMatchObject({
      code: "NOT_FOUND",
      data: { what: "quantization", id },
    });
  });

  test("closing the app ends it and leaves nothing", async () => {
    await quantize();
    (await quantizer.next()).write(100);
    await app.close();
    expect(readdirSync(folder)).toEqual(["Tiny-F16.gguf"]);
    expect(quantizer.running()).toBe(0);
  });

  test("a file that came to be there meanwhile is kept", async () => {
    const { id, path } = await quantize();
    const making = await quantizer.next();
    writeFileSync(path, "mine");
    making.finish();
    expect((await inState(id, "failed")).error?.code).toBe("FILE_EXISTS");
    expect(readFileSync(path, "utf8")).toBe("mine");
  });

  test("a result that cannot be used is told of, and stays", async () => {
    const { id, path } = await quantize();
    const making = await quantizer.next();
    writeFileSync(making.request.outputPath, "Dear Sir or Madam");
    making.say({ type: "made", bytes: 17 });
    await inState(id, "done");
    expect(existsSync(path)).toBe(true);
    expect((await app.client.status.get()).notices).toMatchObject([{ error: { code: "MODEL_INVALID" } }]);
  });
});

test("the levels that can be made are listed, without llama.cpp's numbers", async () => {
  const levels = await app.client.models.levels();
  expect(levels.find(({ name }) => name === "Q4_K_M")).toEqual({
    name: "Q4_K_M",
    bitsPerWeight: 4.89,
    needsImatrix: false,
    onlyForExperts: false,
  });
});
