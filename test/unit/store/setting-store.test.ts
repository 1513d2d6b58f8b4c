import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { settingsSchema } from "../../../src-main/contract/settings.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";

test("settings are the defaults until something is chosen", () => {
  expect(openTestStore().settings.get()).toEqual(settingsSchema.parse({}));
});

test("a change leaves the other settings alone and outlives the process", () => {
  const { folder, ...store } = openTestStore();
  store.settings.update({ theme: "dark", modelId: "model1" });
  expect(store.settings.update({ locale: "de" })).toMatchObject({ theme: "dark", locale: "de", modelId: "model1" });
  store.close();
  expect(openTestStore(folder).settings.get()).toMatchObject({ theme: "dark", locale: "de", modelId: "model1" });
});

test("a value of another version falls back alone", () => {
  const { folder, settings } = openTestStore();
  settings.update({ theme: "dark", enterSends: false });
  const other = new Database(join(folder, "reprise.db"));
  other.exec(`UPDATE setting SET value = '"sepia"' WHERE key = 'theme'`);
  other.exec(`INSERT INTO setting VALUES ('aSettingOfTomorrow', '1')`);
  other.close();
  expect(settings.get()).toEqual(settingsSchema.parse({ enterSends: false }));
});
