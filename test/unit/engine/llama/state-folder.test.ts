import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
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
