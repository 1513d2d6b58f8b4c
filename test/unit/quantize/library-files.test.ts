import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { binariesName, findLibraries, pickLibraries } from "../../../src-main/quantize/library-files.ts";

describe("the libraries", () => {
  test("lie in the binaries' package of this platform", () => {
    const { llama, base } = findLibraries();
    expect([llama, base].map(existsSync)).toEqual([true, true]);
  });

  test.each([
    ["linux", "x64", "linux-x64"],
    ["linux", "arm", "linux-armv7l"],
    ["darwin", "arm64", "mac-arm64-metal"],
    ["win32", "arm64", "win-arm64"],
    ["freebsd", "x64", null],
  ])("of %s on %s are in %s", (platform, architecture, name) => {
    expect(binariesName(platform, architecture)).toBe(name);
  });

  test("are told as missing where there are none for a platform", () => {
    expect(() => findLibraries("freebsd", "x64")).toThrow("there are no libraries for freebsd on x64");
  });

  test.each([
    [
      "with a release",
      ["libggml-base.so", "libggml-cpu-zen4.so", "libllama-common.so", "libllama.v0.5.0.so", "llama-addon.node"],
      { llama: "libllama.v0.5.0.so", base: "libggml-base.so" },
    ],
    ["on macOS", ["libggml-base.dylib", "libllama.dylib"], { llama: "libllama.dylib", base: "libggml-base.dylib" }],
    [
      "on Windows",
      ["ggml-base.dll", "ggml.v0.5.0.dll", "llama-common.dll", "llama.v0.5.0.dll"],
      { llama: "llama.v0.5.0.dll", base: "ggml-base.dll" },
    ],
    ["that are not whole", ["libllama.v0.5.0.so", "libllama-common.so"], null],
  ])("are found by name %s", (_, names, expected) => {
    expect(pickLibraries(names)).toEqual(expected);
  });
});
