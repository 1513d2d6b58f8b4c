import { join } from "node:path";
import { expect, test } from "vitest";
import { findResource } from "../../../src-main/models/find-resource.ts";
import { ModelCatalogue } from "../../../src-main/models/model-catalogue.ts";
import { readRepositoryName } from "../../../src-main/models/repository-name.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

test("the catalogue has several families from small to large, each entry once", async () => {
  const entries = await new ModelCatalogue().entries();
  expect(new Set(entries.map(({ family }) => family)).size).toBeGreaterThan(5);
  const parameters = entries.map((entry) => entry.parameters);
  expect(parameters).toEqual([...parameters].sort((one, other) => one - other));
  expect(Math.min(...parameters)).toBeLessThan(0.2e9);
  expect(Math.max(...parameters)).toBeGreaterThan(29e9);
  for (const key of ["id", "name", "repository"] as const) {
    expect(new Set(entries.map((entry) => entry[key])).size).toBe(entries.length);
  }
});

test("its repositories are names, its licences have an address, and only a part of a model is active", async () => {
  for (const {
    id,
    repository,
    license,
    parameters,
    activeParameters = 0,
    forWhom,
  } of await new ModelCatalogue().entries()) {
    expect(readRepositoryName(repository), id).toBe(repository);
    expect(license.url, id).toMatch(/^https:\/\//);
    expect(activeParameters, id).toBeLessThan(parameters);
    for (const sentence of [forWhom.en, forWhom.de]) expect(sentence, id).toMatch(/^[A-Z].+\.$/);
  }
});

test("a package without a catalogue is a defect that is said", () => {
  expect(() => findResource("no-such-file.json", join(temporaryFolder(), "out"))).toThrow("no-such-file.json");
});
