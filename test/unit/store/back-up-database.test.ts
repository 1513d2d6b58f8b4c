import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { backUpDatabase } from "../../../src-main/store/back-up-database.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

function databaseIn(folder: string): Database.Database {
  const database = new Database(join(folder, "reprise.db"));
  onTestFinished(() => {
    database.close();
  });
  database.exec("CREATE TABLE note (text TEXT) STRICT; INSERT INTO note VALUES ('kept')");
  return database;
}

test("the last three backups are kept, and files of other names left alone", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const folder = temporaryFolder();
  const database = databaseIn(folder);
  mkdirSync(join(folder, "backups"));
  writeFileSync(join(folder, "backups", "my own copy.db"), "");
  const paths = [9, 10, 11, 12].map((version) => {
    vi.setSystemTime(Date.UTC(2026, 10, 20 + version));
    return backUpDatabase(database, version);
  });
  expect(paths.map((path) => existsSync(path))).toEqual([false, true, true, true]);
  expect(existsSync(join(folder, "backups", "my own copy.db"))).toBe(true);
});

test("a copy that was cut short before is replaced, never listed as a backup", () => {
  const folder = temporaryFolder();
  const database = databaseIn(folder);
  mkdirSync(join(folder, "backups"));
  writeFileSync(join(folder, "backups", "unfinished.db"), "half a co");
  const path = backUpDatabase(database, 1);
  expect(readdirSync(join(folder, "backups"))).toHaveLength(1);
  const backup = new Database(path, { readonly: true });
  expect(backup.prepare("SELECT text FROM note").pluck().get()).toBe("kept");
  backup.close();
});
