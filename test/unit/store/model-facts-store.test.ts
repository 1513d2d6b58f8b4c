import Database from "better-sqlite3";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelFacts } from "../../../src-main/contract/model-library.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";

const file = { path: "/m/ß 模型.gguf", sizeBytes: 200_000_000_000, modifiedMs: 1_700_000_000_000.25 };
const facts: ModelFacts = {
  version: 2,
  kind: "adapter",
  summary: null,
  reason: "it is an adapter",
  traits: null,
  footprint: null,
};
const unknown = { facts: null, sha256: null };

test("what was found in a file, and its hash, are known as long as it stays the same", () => {
  const { modelFacts } = openTestStore();
  expect(modelFacts.find(file)).toEqual(unknown);
  modelFacts.setFacts([{ file, facts }]);
  modelFacts.setSha256(file, "aa");
  expect(modelFacts.find(file)).toEqual({ facts, sha256: "aa" });
  expect(modelFacts.find({ ...file, sizeBytes: 1 })).toEqual(unknown);
  expect(modelFacts.find({ ...file, modifiedMs: file.modifiedMs + 0.5 })).toEqual(unknown);
  expect(modelFacts.find({ ...file, path: "/m/other.gguf" })).toEqual(unknown);
});

test("of a file that changed nothing old stays", () => {
  const { modelFacts } = openTestStore();
  modelFacts.setFacts([{ file, facts }]);
  const changed = { ...file, modifiedMs: 1 };
  modelFacts.setSha256(changed, "bb");
  expect(modelFacts.find(changed)).toEqual({ facts: null, sha256: "bb" });
  expect(modelFacts.find(file)).toEqual(unknown);
  modelFacts.setFacts([{ file: changed, facts }]);
  expect(modelFacts.find(changed)).toEqual({ facts, sha256: "bb" });
});

test("what another version of the reading found is not known", () => {
  const { modelFacts, folder } = openTestStore();
  modelFacts.setFacts([{ file, facts }]);
  modelFacts.setSha256(file, "aa");
  const database = new Database(join(folder, "reprise.db"));
  database.prepare("UPDATE model_facts SET facts = json_set(facts, '$.version', 1)").run();
  database.close();
  expect(modelFacts.find(file)).toEqual({ facts: null, sha256: "aa" });
});
