import { expect, test } from "vitest";
import { codedError } from "../../helpers/coded-error.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";

const tuning = {
  prefill: 2,
  decode: 1,
  measured: [{ threads: 1, prefillTokensPerSecond: 139.2, decodeTokensPerSecond: 83.1 }],
};

test("files are listed in the order they were added, each path once", () => {
  const { modelFiles } = openTestStore();
  const first = modelFiles.add("/models/ß 模型.gguf");
  const second = modelFiles.add("/models/a.gguf");
  expect(modelFiles.add("/models/ß 模型.gguf")).toEqual(first);
  expect(modelFiles.list()).toEqual([first, second]);
});

test("a removed file leaves the list; removing it again is NOT_FOUND", () => {
  const { modelFiles } = openTestStore();
  const { id } = modelFiles.add("/models/a.gguf");
  modelFiles.remove(id);
  expect(modelFiles.list()).toEqual([]);
  expect(() => {
    modelFiles.remove(id);
  }).toThrow(codedError("NOT_FOUND", { what: "model", id }));
});

test("thread measurements are kept by key, the last one counts", () => {
  const { modelFiles } = openTestStore();
  modelFiles.setTuning("a.gguf|98362432|cpu", { ...tuning, decode: 2 });
  modelFiles.setTuning("a.gguf|98362432|cpu", tuning);
  expect(modelFiles.tuning("a.gguf|98362432|cpu")).toEqual({ tuning, measuredAt: expect.any(Number) as number });
  expect(modelFiles.tuning("a.gguf|98362432|another cpu")).toBeNull();
});
