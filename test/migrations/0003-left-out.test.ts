import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../../src-main/store/migrate.ts";
import { allMigrations } from "../../src-main/store/migrations/all-migrations.ts";
import { openTestStore } from "../helpers/open-test-store.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { createVersion1Database } from "../helpers/version-1-database.ts";

const conversations = "SELECT * FROM conversation ORDER BY number";

test("every conversation of version 2 is in version 3 as it was, with nothing left out", () => {
  const database = new Database(createVersion1Database(temporaryFolder()));
  onTestFinished(() => {
    database.close();
  });
  migrate(database, allMigrations.slice(0, 2), () => undefined);
  const before = database.prepare<[], object>(conversations).all();
  migrate(database, allMigrations.slice(0, 3), () => undefined);
  const after = before.map((row) => ({ ...row, left_out_messages: 0 }));
  expect(database.prepare(conversations).all()).toEqual(after);
  expect(after).toHaveLength(2);
});

test("how much was left out is read by the next Reprise", () => {
  const folder = temporaryFolder();
  createVersion1Database(folder);
  const first = openTestStore(folder);
  expect(first.conversations.leftOut("c1")).toBe(0);
  first.conversations.setLeftOut("c1", 4);
  first.close();
  const second = openTestStore(folder);
  expect(second.conversations.leftOut("c1")).toBe(4);
  expect(second.conversations.leftOut("c2")).toBe(0);
});
