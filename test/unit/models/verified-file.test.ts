import { createHash } from "node:crypto";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isVerifiedFile } from "../../../src-main/models/verified-file.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const content = "what the model should be";
const expected = { sizeBytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };

function file(text: string): string {
  const path = join(temporaryFolder(), "model.gguf");
  writeFileSync(path, text);
  return path;
}

test("a file with the right bytes is verified", async () => {
  expect(await isVerifiedFile(file(content), expected)).toBe(true);
});

test("a missing file is not", async () => {
  expect(await isVerifiedFile(join(temporaryFolder(), "model.gguf"), expected)).toBe(false);
});

test("a file cut short is not", async () => {
  expect(await isVerifiedFile(file(content.slice(1)), expected)).toBe(false);
});

test("a file of the right size with other bytes is not", async () => {
  expect(await isVerifiedFile(file(content.replace("w", "W")), expected)).toBe(false);
});

test("a file that changed since it was verified is looked at again", async () => {
  const path = file(content);
  await isVerifiedFile(path, expected);
  writeFileSync(path, content.replace("w", "W"));
  utimesSync(path, 1_000, 1_000);
  expect(await isVerifiedFile(path, expected)).toBe(false);
});

test("the hash is not computed again while size and time are the same", async () => {
  const path = file(content);
  utimesSync(path, 1_000, 1_000);
  await isVerifiedFile(path, expected);
  writeFileSync(path, content.replace("w", "W"));
  utimesSync(path, 1_000, 1_000);
  expect(await isVerifiedFile(path, expected)).toBe(true);
});

test("what is remembered lies hidden beside the file", async () => {
  const path = file(content);
  await isVerifiedFile(path, expected);
  expect(readdirSync(dirname(path)).sort()).toEqual([".model.gguf.verified", "model.gguf"]);
});
