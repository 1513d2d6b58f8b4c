import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../../src-main/store/migrate.ts";
import { allMigrations } from "../../src-main/store/migrations/all-migrations.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { createVersion1Database } from "../helpers/version-1-database.ts";

const messages = "SELECT * FROM message ORDER BY number";

test("every message of version 5 is in version 6 as it was, and whose file wrote it is not known", () => {
  const database = new Database(createVersion1Database(temporaryFolder()));
  onTestFinished(() => {
    database.close();
  });
  migrate(database, allMigrations.slice(0, 5), () => undefined);
  const before = database.prepare<[], object>(messages).all();
  migrate(database, allMigrations.slice(0, 6), () => undefined);
  expect(database.prepare(messages).all()).toEqual(
    before.map((row) => ({ ...row, model_id: null, model_level: null })),
  );
  expect(before.length).toBeGreaterThan(1);
});
