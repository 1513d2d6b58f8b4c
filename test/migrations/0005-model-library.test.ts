import { expect, test } from "vitest";
import { defaultFamilySettings } from "../../src-main/contract/model-settings.ts";
import { openTestStore } from "../helpers/open-test-store.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { createVersion1Database } from "../helpers/version-1-database.ts";

test("an older database has room for what is known and set of models, and the next Reprise reads it", () => {
  const folder = temporaryFolder();
  createVersion1Database(folder);
  const file = { path: "/m/a.gguf", sizeBytes: 1, modifiedMs: 2 };
  const first = openTestStore(folder);
  expect(first.modelFacts.find(file)).toEqual({ facts: null, sha256: null });
  first.modelFacts.setSha256(file, "aa");
  first.modelSettings.updateLoadOptions("a", { useMmap: false });
  first.modelSettings.updateFamily("f", { systemPrompt: "Be brief." });
  first.close();
  const second = openTestStore(folder);
  expect(second.modelFacts.find(file).sha256).toBe("aa");
  expect(second.modelSettings.loadOptions("a").useMmap).toBe(false);
  expect(second.modelSettings.family("f")).toEqual({ ...defaultFamilySettings, systemPrompt: "Be brief." });
});
