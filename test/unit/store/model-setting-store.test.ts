import Database from "better-sqlite3";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultFamilySettings, defaultLoadOptions } from "../../../src-main/contract/model-settings.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";

test("each file keeps its own options, and what was not set is the default", () => {
  const { modelSettings } = openTestStore();
  expect(modelSettings.loadOptions("a")).toEqual(defaultLoadOptions);
  modelSettings.updateLoadOptions("a", { keyType: "q8_0", contextTokens: 4_096 });
  const loras = [{ path: "/m/lora.gguf", scale: 0.5 }];
  const options = { ...defaultLoadOptions, keyType: "q8_0", contextTokens: null, loras };
  expect(modelSettings.updateLoadOptions("a", { contextTokens: null, loras })).toEqual(options);
  expect(modelSettings.loadOptions("a")).toEqual(options);
  expect(modelSettings.loadOptions("b")).toEqual(defaultLoadOptions);
});

test("a family keeps its prompt, its sampling and its template", () => {
  const { modelSettings } = openTestStore();
  expect(modelSettings.family("q")).toEqual(defaultFamilySettings);
  modelSettings.updateFamily("q", { chatTemplate: "{{ messages }}" });
  modelSettings.updateFamily("q", { systemPrompt: "Be brief." });
  expect(modelSettings.family("q")).toEqual({
    sampling: null,
    systemPrompt: "Be brief.",
    chatTemplate: "{{ messages }}",
  });
  expect(modelSettings.updateFamily("q", { chatTemplate: null }).chatTemplate).toBeNull();
});

test("a value this version does not know falls back to its default, alone", () => {
  const { modelSettings, folder } = openTestStore();
  modelSettings.updateLoadOptions("a", { useMlock: true, keyType: "q4_0" });
  const database = new Database(join(folder, "reprise.db"));
  database.prepare("UPDATE load_options SET options = json_set(options, '$.keyType', 'q1_0')").run();
  database.close();
  expect(modelSettings.loadOptions("a")).toEqual({ ...defaultLoadOptions, useMlock: true });
});
