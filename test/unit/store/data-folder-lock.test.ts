import { join } from "node:path";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { lockDataFolder } from "../../../src-main/store/data-folder-lock.ts";
import { startScript } from "../../helpers/child-script.ts";
import { codedError } from "../../helpers/coded-error.ts";
import { ignoresPermissions, temporaryFolder } from "../../helpers/temporary-folder.ts";

const lockHolder = new URL("../../helpers/lock-holder.ts", import.meta.url);

function locked(folder: string): { release(): void } {
  const lock = lockDataFolder(folder);
  onTestFinished(() => {
    lock.release();
  });
  return lock;
}

const alreadyRunning = (dataFolder: string, pid: number | null) => codedError("ALREADY_RUNNING", { dataFolder, pid });

describe("a data folder", () => {
  test("belongs to one process, until that one is killed", async () => {
    const folder = temporaryFolder();
    const holder = startScript(lockHolder, folder);
    expect(await holder.line()).toBe("locked");
    expect(() => lockDataFolder(folder)).toThrow(alreadyRunning(folder, null));
    await holder.kill();
    expect(() => locked(folder)).not.toThrow();
  });

  test("that is taken keeps a second process out", async () => {
    const folder = temporaryFolder();
    const lock = locked(folder);
    expect(await startScript(lockHolder, folder).line()).toBe("ALREADY_RUNNING");
    lock.release();
    expect(await startScript(lockHolder, folder).line()).toBe("locked");
  });

  test("goes to one of several processes that start at once", async () => {
    const folder = temporaryFolder();
    const holders = Array.from({ length: 4 }, () => startScript(lockHolder, folder));
    const answers = await Promise.all(holders.map((holder) => holder.line()));
    expect(answers.sort()).toEqual(["ALREADY_RUNNING", "ALREADY_RUNNING", "ALREADY_RUNNING", "locked"]);
  });

  test("is free again once released, also within one process", () => {
    const folder = temporaryFolder();
    const lock = locked(folder);
    expect(() => lockDataFolder(folder)).toThrow(alreadyRunning(folder, null));
    lock.release();
    expect(() => locked(folder)).not.toThrow();
  });

  test("that is taken names the process from instance.json, if that can be read", () => {
    const folder = temporaryFolder();
    locked(folder);
    writeFileSync(join(folder, "instance.json"), JSON.stringify({ pid: 4711, url: "http://127.0.0.1:1" }));
    expect(() => lockDataFolder(folder)).toThrow(alreadyRunning(folder, 4711));
    expect(() => lockDataFolder(folder)).toThrow(/process 4711/);
    writeFileSync(join(folder, "instance.json"), "{");
    expect(() => lockDataFolder(folder)).toThrow(alreadyRunning(folder, null));
  });

  test("is created where it is missing", () => {
    const folder = join(temporaryFolder(), "a", "b");
    expect(() => locked(folder)).not.toThrow();
  });

  test.skipIf(ignoresPermissions)("whose lock file cannot be written to is not taken for locked", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "lock.db"), "", { mode: 0o400 });
    expect(() => lockDataFolder(folder)).toThrow(codedError("FOLDER_UNWRITABLE"));
  });

  test("that cannot be written to is told as such", () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "mine");
    expect(() => lockDataFolder(file)).toThrow(codedError("FOLDER_UNWRITABLE"));
  });
});

test("a lock file that somebody wrote into still locks", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "lock.db"), "scribbled over, and longer than a header of a hundred bytes ".repeat(20));
  locked(folder);
  expect(() => lockDataFolder(folder)).toThrow(alreadyRunning(folder, null));
  expect(readFileSync(join(folder, "lock.db"), "latin1")).not.toContain("scribbled");
});
