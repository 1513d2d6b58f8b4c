import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ModelFile } from "../../../src-main/contract/model.ts";
import { commandSession, jsonFrom } from "../../helpers/command-session.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

function write(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "GGUF");
  return path;
}

async function idOf(folder: string, path: string): Promise<string> {
  const files = await jsonFrom<ModelFile[]>(commandSession({ folder }), "models", "list");
  return String(files.find((file) => file.path === path)?.id);
}

describe("reprise models remove", () => {
  test("leaves a file of the models folder where it is, unless it is to be deleted", async () => {
    const folder = temporaryFolder();
    const path = write(join(folder, "models", "mine.gguf"));
    const id = await idOf(folder, path);
    const refused = commandSession({ folder });
    expect(await refused.run("models", "remove", id)).not.toBe(0);
    expect(refused.errors()).toContain("lies in the models folder");
    expect(existsSync(path)).toBe(true);
    const removed = await jsonFrom(commandSession({ folder }), "models", "remove", id.slice(0, 6), "--delete-file");
    expect(removed).toEqual({ id, path, isFileDeleted: true });
    expect(existsSync(path)).toBe(false);
  });

  test("takes an added file off the list, and leaves the file", async () => {
    const folder = temporaryFolder();
    const path = write(join(temporaryFolder(), "added.gguf"));
    expect(await commandSession({ folder }).run("chat", "hello", "--model", path)).toBe(0);
    const session = commandSession({ folder });
    expect(await session.run("models", "remove", await idOf(folder, path))).toBe(0);
    expect(session.output()).toBe(`${path} is off the list. The file was left as it is.\n`);
    expect(existsSync(path)).toBe(true);
    expect(await idOf(folder, path)).toBe("undefined");
  });

  test("says so where there is no such model", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    expect(await session.run("models", "remove", "zzz")).not.toBe(0);
    expect(session.errors()).toContain("There is no model with the id “zzz”.");
  });
});
