import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readInstance, removeInstance, writeInstance } from "../../../src-main/loopback/instance-file.ts";

describe("instance.json", () => {
  const instance = { pid: 4242, url: "http://127.0.0.1:4000", token: "secret", startedAt: 1_764_000_000_000 };
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "reprise-instance-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test("comes back as it was written, and leaves no draft behind", () => {
    writeInstance(folder, instance);
    expect(readInstance(folder)).toEqual(instance);
    expect(readdirSync(folder)).toEqual(["instance.json"]);
  });

  test.skipIf(process.platform === "win32")("is for its owner only, whatever lies there already", () => {
    for (const name of ["instance.json", `instance.json.${instance.pid}`]) {
      writeFileSync(join(folder, name), "{}", { mode: 0o644 });
    }
    writeInstance(folder, instance);
    expect(statSync(join(folder, "instance.json")).mode & 0o777).toBe(0o600);
  });

  test.each(["", "{", "{}", '{"pid":"x","url":"","token":"","startedAt":0}'])("reads %j as no instance", (text) => {
    writeFileSync(join(folder, "instance.json"), text);
    expect(readInstance(folder)).toBeNull();
  });

  test("reads as no instance where there is none", () => {
    expect(readInstance(folder)).toBeNull();
  });

  test("is removed by the app that wrote it", () => {
    writeInstance(folder, instance);
    removeInstance(folder, instance.token);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("stays where another app has taken the folder over since", () => {
    writeInstance(folder, { ...instance, token: "theirs" });
    removeInstance(folder, instance.token);
    expect(readInstance(folder)?.token).toBe("theirs");
  });
});
