import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ModelFolder } from "../../../src-main/models/model-folder.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

/** A folder with these files, each as long as the number says. */
function folderWith(files: Readonly<Record<string, number>>): string {
  const folder = temporaryFolder();
  for (const [path, sizeBytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), Buffer.alloc(sizeBytes));
  }
  return folder;
}

test("GGUF files are listed with their sizes, also those in folders below", async () => {
  const folder = folderWith({ "b.gguf": 2, "a.GGUF": 1, "someone/model/c.gguf": 3, "notes.txt": 4, "d.gguf.part": 5 });
  expect(await new ModelFolder(folder).list()).toEqual([
    { path: join(folder, "a.GGUF"), sizeBytes: 1 },
    { path: join(folder, "b.gguf"), sizeBytes: 2 },
    { path: join(folder, "someone/model/c.gguf"), sizeBytes: 3 },
  ]);
});

test("a split model is its first part, with the size of all", async () => {
  const folder = folderWith({
    "big-00001-of-00003.gguf": 1,
    "big-00002-of-00003.gguf": 10,
    "big-00003-of-00003.gguf": 100,
  });
  expect(await new ModelFolder(folder).list()).toEqual([
    { path: join(folder, "big-00001-of-00003.gguf"), sizeBytes: 111 },
  ]);
});

test("split models of the same name in two folders are two", async () => {
  const folder = folderWith({
    "x/big-00001-of-00002.gguf": 1,
    "y/big-00001-of-00002.gguf": 2,
    "y/big-00002-of-00002.gguf": 3,
  });
  expect((await new ModelFolder(folder).list()).map(({ sizeBytes }) => sizeBytes)).toEqual([1, 5]);
});

test("parts without their first are no model", async () => {
  expect(await new ModelFolder(folderWith({ "big-00002-of-00002.gguf": 1 })).list()).toEqual([]);
});

test("hidden files are left out", async () => {
  const folder = folderWith({ "._a.gguf": 1, ".cache/a.gguf": 1 });
  expect(await new ModelFolder(folder).list()).toEqual([]);
});

test("links count as what they lead to, and those that lead nowhere are left out", async () => {
  const elsewhere = folderWith({ "a.gguf": 7 });
  const folder = temporaryFolder();
  symlinkSync(join(elsewhere, "a.gguf"), join(folder, "linked.gguf"));
  symlinkSync(join(elsewhere, "gone.gguf"), join(folder, "broken.gguf"));
  expect(await new ModelFolder(folder).list()).toEqual([{ path: join(folder, "linked.gguf"), sizeBytes: 7 }]);
});

test("a folder that is not there has no models", async () => {
  expect(await new ModelFolder(join(temporaryFolder(), "models")).list()).toEqual([]);
});
