import { describe, expect, test } from "vitest";
import { resolveFolders, type MachineFacts } from "../../../src-main/app/folders.ts";

function machine(platform: NodeJS.Platform, environment: MachineFacts["environment"] = {}): MachineFacts {
  return platform === "win32"
    ? { platform, environment, homeFolder: "C:\\Users\\ada", workingFolder: "D:\\work" }
    : { platform, environment, homeFolder: "/home/ada", workingFolder: "/work" };
}

describe("the data folder", () => {
  test.each([
    ["linux", {}, "/home/ada/.local/share/reprise"],
    ["linux", { XDG_DATA_HOME: "/data" }, "/data/reprise"],
    ["linux", { XDG_DATA_HOME: "not/absolute" }, "/home/ada/.local/share/reprise"],
    ["freebsd", {}, "/home/ada/.local/share/reprise"],
    ["darwin", { XDG_DATA_HOME: "/data" }, "/home/ada/Library/Application Support/Reprise"],
    ["win32", { APPDATA: "C:\\Users\\ada\\AppData\\Roaming" }, "C:\\Users\\ada\\AppData\\Roaming\\Reprise"],
    ["win32", {}, "C:\\Users\\ada\\AppData\\Roaming\\Reprise"],
    ["linux", { REPRISE_DATA: "/elsewhere" }, "/elsewhere"],
    ["linux", { REPRISE_DATA: "near" }, "/work/near"],
    ["linux", { REPRISE_DATA: "" }, "/home/ada/.local/share/reprise"],
    ["win32", { REPRISE_DATA: "near" }, "D:\\work\\near"],
  ] as const)("on %s with %o is %s", (platform, environment, folder) => {
    expect(resolveFolders(machine(platform, environment)).dataFolder).toBe(folder);
  });

  test("chosen on the command line goes before REPRISE_DATA", () => {
    const folders = resolveFolders(machine("linux", { REPRISE_DATA: "/elsewhere" }), { data: "chosen", models: null });
    expect(folders.dataFolder).toBe("/work/chosen");
  });
});

describe("the models folder", () => {
  test("lies in the data folder", () => {
    expect(resolveFolders(machine("linux", { REPRISE_DATA: "/elsewhere" })).modelsFolder).toBe("/elsewhere/models");
  });

  test("can lie anywhere by REPRISE_MODELS", () => {
    expect(resolveFolders(machine("linux", { REPRISE_MODELS: "/shared/models" })).modelsFolder).toBe("/shared/models");
  });

  test("chosen on the command line goes before REPRISE_MODELS", () => {
    const folders = resolveFolders(machine("linux", { REPRISE_MODELS: "/shared" }), { data: null, models: "mine" });
    expect(folders.modelsFolder).toBe("/work/mine");
  });
});
