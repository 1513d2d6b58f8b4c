import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkRoom, freeBytesIn, isWritableFolder, writeWhole } from "../../../src-main/app/output-file.ts";
import { ignoresPermissions, temporaryFolder } from "../../helpers/temporary-folder.ts";

const keep = { overwrite: false };

test("a file gets its name when it is whole, and nothing else is left", async () => {
  const path = join(temporaryFolder(), "new.gguf");
  const result = await writeWhole(path, keep, (temporary) => {
    writeFileSync(temporary, "whole");
    expect(existsSync(path)).toBe(false);
    return Promise.resolve(7);
  });
  expect(result).toBe(7);
  expect(readFileSync(path, "utf8")).toBe("whole");
  expect(readdirSync(join(path, ".."))).toEqual(["new.gguf"]);
});

test("nothing is left of one that failed", async () => {
  const folder = temporaryFolder();
  const failing = writeWhole(join(folder, "new.gguf"), keep, (temporary) => {
    writeFileSync(temporary, "half");
    return Promise.reject(new Error("no more"));
  });
  await expect(failing).rejects.toThrow("no more");
  expect(readdirSync(folder)).toEqual([]);
});

test("a file that came to be there meanwhile is kept, unless it may be replaced", async () => {
  const path = join(temporaryFolder(), "new.gguf");
  const write = (temporary: string) => {
    writeFileSync(temporary, "ours");
    writeFileSync(path, "theirs");
    return Promise.resolve();
  };
  await expect(writeWhole(path, keep, write)).rejects.toMatchObject({ code: "FILE_EXISTS", data: { path } });
  expect(readFileSync(path, "utf8")).toBe("theirs");
  await writeWhole(path, { overwrite: true }, write);
  expect(readFileSync(path, "utf8")).toBe("ours");
});

test("what a process left that is gone is taken away, and what one that runs is writing is not", async () => {
  const folder = temporaryFolder();
  const [left, written, other] = [
    ".reprise-999999999-abc.quantizing",
    `.reprise-${process.pid}-abc.quantizing`,
    ".reprise-notes",
  ];
  for (const name of [left, written, other]) writeFileSync(join(folder, name), "");
  await writeWhole(join(folder, "new.gguf"), keep, (temporary) => {
    writeFileSync(temporary, "whole");
    return Promise.resolve();
  });
  expect(readdirSync(folder).toSorted()).toEqual([written, other, "new.gguf"].toSorted());
});

test("a folder that is missing is made, and no probe stays in it", async () => {
  const folder = join(temporaryFolder(), "models", "below");
  expect(await isWritableFolder(folder)).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test("a folder below a file cannot be written to", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(await isWritableFolder(join(file, "models"))).toBe(false);
});

test.skipIf(ignoresPermissions)("a folder that may only be read cannot be written to", async () => {
  const folder = join(temporaryFolder(), "models");
  mkdirSync(folder, { mode: 0o500 });
  expect(await isWritableFolder(folder)).toBe(false);
});

test("room that is missing is told in figures", async () => {
  const folder = temporaryFolder();
  const free = await freeBytesIn(folder);
  expect(free).toBeGreaterThan(0);
  checkRoom(folder, free - 1, free);
  expect(() => {
    checkRoom(folder, 5_000_000, 1_999_999);
  }).toThrow(
    expect.objectContaining({
      code: "STORAGE_FAILED",
      message: expect.stringContaining("5 MB are needed, 2 MB are free") as string,
    }),
  );
});
