import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withoutSelfTest } from "../../../src-main/engine/llama/without-self-test.ts";

const load = () => getLlama({ build: "never", gpu: false, logLevel: LlamaLogLevel.disabled });
const fork = vi.spyOn(childProcess, "fork");

beforeEach(() => {
  fork.mockClear();
  syncBuiltinESMExports();
});
afterEach(syncBuiltinESMExports);

test.runIf(process.platform === "linux")("by itself the library forks a process to test its binary", async () => {
  await using llama = await load();
  expect(llama.gpu).toBe(false);
  expect(fork).toHaveBeenCalledWith(expect.stringContaining("testBindingBinary"), expect.anything(), expect.anything());
});

test("it loads without that process", async () => {
  await using llama = await withoutSelfTest(load);
  expect(llama.gpu).toBe(false);
  expect(fork).not.toHaveBeenCalled();
});

test("other forks stay what they are, and all of them are afterwards", async () => {
  const child = childProcess.spawn(process.execPath, ["--version"], { stdio: "ignore" });
  fork.mockReturnValue(child);
  await withoutSelfTest(() => {
    expect(childProcess.fork("/some/script.js", ["parameter"], { silent: true })).toBe(child);
    return Promise.resolve();
  });
  expect(fork).toHaveBeenCalledExactlyOnceWith("/some/script.js", ["parameter"], { silent: true });
  expect(childProcess.fork).toBe(fork);
});
