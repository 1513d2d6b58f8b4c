import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandSession, jsonFrom } from "../../helpers/command-session.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

function write(path: string, text = "GGUF"): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe("reprise models template", () => {
  test("shows the file's own, sets another one for the model, and goes back", async () => {
    const folder = temporaryFolder();
    const path = write(join(folder, "models", "mine.gguf"));
    const template = (...words: string[]) => jsonFrom(commandSession({ folder }), "models", "template", path, ...words);
    expect(await template()).toMatchObject({ template: "model", reason: null, own: "echo", override: null });
    const file = write(join(folder, "mine.jinja"), "[mine]");
    expect(await template("--set", file)).toMatchObject({ template: "override", own: "echo", override: "[mine]" });
    const text = commandSession({ folder });
    expect(await text.run("models", "template", path)).toBe(0);
    expect(text.output()).toBe("[mine]\n");
    expect(await template("--reset")).toMatchObject({ template: "model", override: null });
  });

  test.each([
    ["that does not work", "broken", "This template does not work: line 1: it is broken. Nothing was changed."],
    ["that is empty", "", "cannot be used as a chat template (it is empty, or too large)"],
    ["that is not there", null, "cannot be used as a chat template (ENOENT)"],
  ])("changes nothing for a template %s", async (_, source, sentence) => {
    const folder = temporaryFolder();
    const path = write(join(folder, "models", "mine.gguf"));
    const file = join(folder, "mine.jinja");
    if (source !== null) write(file, source);
    const refused = commandSession({ folder });
    expect(await refused.run("models", "template", path, "--set", file)).not.toBe(0);
    expect(refused.errors()).toContain(sentence);
    expect(await jsonFrom(commandSession({ folder }), "models", "template", path)).toMatchObject({ override: null });
  });
});
