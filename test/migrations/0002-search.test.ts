import { readdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../../src-main/store/migrate.ts";
import { allMigrations } from "../../src-main/store/migrations/all-migrations.ts";
import { startScript } from "../helpers/child-script.ts";
import { openTestStore } from "../helpers/open-test-store.ts";
import { schemaOf } from "../helpers/schema-of.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { createVersion1Database } from "../helpers/version-1-database.ts";

const killedMigration = new URL("../helpers/killed-migration.ts", import.meta.url);

const tables = ["conversation", "message", "turn_report", "model_file", "thread_tuning", "setting"];

function opened(path: string): Database.Database {
  const database = new Database(path);
  onTestFinished(() => {
    database.close();
  });
  return database;
}

function rowsOf(database: Database.Database): unknown[][] {
  return tables.map((table) => database.prepare(`SELECT * FROM ${table}`).all());
}

test("every row of version 1 is in version 2 as it was", () => {
  const database = opened(createVersion1Database(temporaryFolder()));
  const before = rowsOf(database);
  expect(before.map((rows) => rows.length)).toEqual([2, 3, 0, 1, 0, 1]);
  migrate(database, allMigrations.slice(0, 2), () => undefined);
  expect(rowsOf(database)).toEqual(before);
});

test("a migrated database declares what a fresh one does", () => {
  const migrated = opened(createVersion1Database(temporaryFolder()));
  migrate(migrated, allMigrations, () => undefined);
  const { folder } = openTestStore();
  expect(schemaOf(migrated)).toEqual(schemaOf(opened(join(folder, "reprise.db"))));
});

test("messages and titles written before are found, the half-written answer once it is stopped", () => {
  const folder = temporaryFolder();
  createVersion1Database(folder);
  const { search, conversations, settings, messages } = openTestStore(folder);
  expect(search("süden")).toEqual([{ conversationId: "c1", messageId: null, snippet: "Straße nach Süden" }]);
  expect(search("lighthouse")).toMatchObject([{ messageId: "m2" }]);
  expect(search("harb")).toMatchObject([{ messageId: "m3" }]);
  expect(messages.get("m3")).toMatchObject({ status: "stopped", siblingIds: ["m2", "m3"] });
  expect(conversations.list().map(({ id }) => id)).toEqual(["c1", "c2"]);
  expect(settings.get().theme).toBe("dark");
});

test("the database is backed up before, whole and of its own version", () => {
  const folder = temporaryFolder();
  const before = rowsOf(opened(createVersion1Database(folder)));
  openTestStore(folder);
  const backups = readdirSync(join(folder, "backups"));
  expect(backups).toEqual([expect.stringMatching(/^reprise-.*-v1\.db$/)]);
  const backup = opened(join(folder, "backups", String(backups[0])));
  expect(backup.pragma("user_version", { simple: true })).toBe(1);
  expect(rowsOf(backup)).toEqual(before);
});

test.skipIf(process.platform === "win32")("killed halfway, nothing of it has happened", async () => {
  const folder = temporaryFolder();
  const path = createVersion1Database(folder);
  const script = startScript(killedMigration, path);
  expect(await script.line()).toBe("migrating");
  await expect(script.line()).rejects.toThrow("ended");
  const { conversations, messages, notices } = openTestStore(folder);
  expect(notices).toEqual([]);
  expect(conversations.list()).toHaveLength(2);
  expect(messages.activePath("c1")).toHaveLength(2);
});
