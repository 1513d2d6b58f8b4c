import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deleteModel } from "../../../src-main/models/delete-model.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

function folderWith(...names: string[]): string {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), "GGUF");
  return folder;
}

test("a model is deleted alone", async () => {
  const folder = folderWith("a.gguf", "ab.gguf");
  await deleteModel(join(folder, "a.gguf"));
  expect(readdirSync(folder)).toEqual(["ab.gguf"]);
});

test("a model in several files is deleted with all of them", async () => {
  const kept = ["big-00001-of-00003.gguf", "bigger-00001-of-00002.gguf"];
  const folder = folderWith("big-00001-of-00002.gguf", "big-00002-of-00002.gguf", ...kept);
  await deleteModel(join(folder, "big-00001-of-00002.gguf"));
  expect(readdirSync(folder).sort()).toEqual(kept);
});

test("what is gone already is no error", async () => {
  await deleteModel(join(temporaryFolder(), "gone.gguf"));
  await deleteModel(join(temporaryFolder(), "nowhere", "gone-00001-of-00002.gguf"));
});

test("what cannot be deleted is said and stays", async () => {
  const folder = join(temporaryFolder(), "folder.gguf");
  mkdirSync(folder, { recursive: true });
  await expect(deleteModel(folder)).rejects.toMatchObject({ code: "STORAGE_FAILED" });
  expect(existsSync(folder)).toBe(true);
});
