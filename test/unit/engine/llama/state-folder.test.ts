import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { StateFolder } from "../../../../src-main/engine/llama/state-folder.ts";
import { startScript } from "../../../helpers/child-script.ts";
import { smallDisk } from "../../../helpers/small-disk.ts";
import { temporaryFolder } from "../../../helpers/temporary-folder.ts";

const afterEventLoopTurn = () => new Promise((resolve) => setImmediate(resolve));
const script = new URL("../../../helpers/state-folder-script.ts", import.meta.url);

describe("a state on its way", () => {
  test("has a file of its own, which nobody else may read", async () => {
    const parent = temporaryFolder();
    using folder = new StateFolder([parent]);
    const paths: string[] = [];
    await folder.use(10, async (path) => {
      paths.push(path);
      expect(existsSync(path)).toBe(false);
      writeFileSync(path, "one");
      await folder.use(10, (other) => Promise.resolve(paths.push(other)));
    });
    expect(new Set(paths).size).toBe(2);
    for (const path of paths) expect(dirname(dirname(path))).toBe(parent);
    if (process.platform !== "win32") expect(statSync(dirname(paths[0] ?? "")).mode & 0o777).toBe(0o700);
  });

  test("is gone when its user is done, also with an error", async () => {
    const parent = temporaryFolder();
    using folder = new StateFolder([parent]);
    const broken = folder.use(10, (path) => {
      writeFileSync(path, "half a state");
      return Promise.reject(new Error("no"));
    });
    await expect(broken).rejects.toThrow("no");
    await afterEventLoopTurn();
    expect(readdirSync(parent, { recursive: true })).toHaveLength(1);
  });

  test("leaves nothing when the folder is closed", async () => {
    const parent = temporaryFolder();
    const folder = new StateFolder([parent]);
    await folder.use(10, () => Promise.resolve());
    folder[Symbol.dispose]();
    expect(readdirSync(parent)).toEqual([]);
  });

  test("in memory its file is kept to be written over, until the folder is closed", async () => {
    const parent = temporaryFolder();
    const folder = new StateFolder([parent], parent);
    const write = (text: string) =>
      folder.useAgain(10, (path) => {
        const before = existsSync(path) ? readFileSync(path, "utf8") : null;
        writeFileSync(path, text);
        return Promise.resolve({ path, before });
      });
    const first = await write("one");
    const second = await write("two");
    expect([first.before, second.before]).toEqual([null, "one"]);
    expect(second.path).toBe(first.path);
    folder[Symbol.dispose]();
    expect(readdirSync(parent)).toEqual([]);
  });

  test("two at a time have two files, and one of them is kept", async () => {
    const parent = temporaryFolder();
    using folder = new StateFolder([parent], parent);
    const paths = await folder.useAgain(10, async (one) => {
      writeFileSync(one, "one");
      return await folder.useAgain(10, (other) => {
        writeFileSync(other, "other");
        return Promise.resolve([one, other]);
      });
    });
    expect(new Set(paths).size).toBe(2);
    expect(paths.filter((path) => existsSync(path))).toHaveLength(1);
  });

  test("on a disk nothing is kept", async () => {
    const parent = temporaryFolder();
    using folder = new StateFolder([parent], "elsewhere");
    await folder.useAgain(10, (path) => {
      writeFileSync(path, "one");
      return Promise.resolve();
    });
    await afterEventLoopTurn();
    expect(readdirSync(parent, { recursive: true })).toHaveLength(1);
  });

  test("goes where there is room for it", async (context) => {
    const disk = smallDisk(1);
    if (disk === null) {
      context.skip("this process may not mount a small disk");
      return;
    }
    const roomy = temporaryFolder();
    using folder = new StateFolder([disk.folder, roomy]);
    const parentOf = (path: string) => Promise.resolve(dirname(dirname(path)));
    expect(await folder.use(100_000, parentOf)).toBe(disk.folder);
    expect(await folder.use(5_000_000, parentOf)).toBe(roomy);
  });
});

describe("what a killed process left", () => {
  test("is removed at the next start, and nothing else", async () => {
    const parent = temporaryFolder();
    const killed = startScript(script, parent);
    const left = await killed.line();
    await killed.kill();
    expect(existsSync(left)).toBe(true);
    const running = startScript(script, parent);
    const used = await running.line();
    mkdirSync(join(parent, "reprise-state-of-mind"));
    new StateFolder([parent])[Symbol.dispose]();
    expect(existsSync(left)).toBe(false);
    expect(existsSync(used)).toBe(true);
    expect(existsSync(join(parent, "reprise-state-of-mind"))).toBe(true);
  });

  test("is removed where this process now has its number, but not what this process uses", async () => {
    const parent = temporaryFolder();
    const left = join(parent, `reprise-state-${process.pid}-abcdef`);
    mkdirSync(left);
    using first = new StateFolder([parent]);
    expect(existsSync(left)).toBe(false);
    await first.use(10, (path) => {
      writeFileSync(path, "in use");
      new StateFolder([parent])[Symbol.dispose]();
      expect(existsSync(path)).toBe(true);
      return Promise.resolve();
    });
  });
});

test("a parent that is not there is passed over", async () => {
  const parent = temporaryFolder();
  using folder = new StateFolder([join(parent, "missing"), parent]);
  expect(await folder.use(10, (path) => Promise.resolve(dirname(dirname(path))))).toBe(parent);
});
