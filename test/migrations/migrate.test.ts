import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { migrate } from "../../src-main/store/migrate.ts";
import { allMigrations } from "../../src-main/store/migrations/all-migrations.ts";
import type { Migration } from "../../src-main/store/migrations/migration.ts";

function emptyDatabase(): Database.Database {
  const database = new Database(":memory:");
  onTestFinished(() => {
    database.close();
  });
  return database;
}

const step = (version: number, sql: string): Migration => ({ version, up: (database) => database.exec(sql) });
const users = step(1, "CREATE TABLE user (id TEXT PRIMARY KEY) STRICT; INSERT INTO user VALUES ('ada')");
const notes = step(2, "CREATE TABLE note (user_id TEXT REFERENCES user (id)) STRICT; INSERT INTO note VALUES ('ada')");
const version = (database: Database.Database) => database.pragma("user_version", { simple: true });

test("the migrations are numbered from 1 without gaps", () => {
  expect(allMigrations.map((migration) => migration.version)).toEqual(allMigrations.map((_, index) => index + 1));
});

test("a database is brought from where it is to the last version", () => {
  const database = emptyDatabase();
  migrate(database, [users], () => undefined);
  migrate(database, [users, notes], () => undefined);
  expect(version(database)).toBe(2);
  expect(database.prepare("SELECT user_id FROM note").pluck().all()).toEqual(["ada"]);
});

describe("a backup", () => {
  test("comes before the first step, once, and not for a new database", () => {
    const database = emptyDatabase();
    const backUp = vi.fn(() => {
      expect(database.prepare("SELECT name FROM sqlite_schema WHERE name = 'note'").get()).toBeUndefined();
    });
    migrate(database, [users], backUp);
    expect(backUp).not.toHaveBeenCalled();
    migrate(database, [users, notes, step(3, "DROP TABLE note")], backUp);
    expect(backUp.mock.calls).toEqual([[1]]);
    migrate(database, [users, notes, step(3, "DROP TABLE note")], backUp);
    expect(backUp).toHaveBeenCalledOnce();
  });

  test("that cannot be made keeps the database as it was", () => {
    const database = emptyDatabase();
    migrate(database, [users], () => undefined);
    const backUp = () => {
      throw new Error("disk full");
    };
    expect(() => {
      migrate(database, [users, notes], backUp);
    }).toThrow("disk full");
    expect(version(database)).toBe(1);
  });
});

describe("a step that fails", () => {
  test("has not happened, and the steps before it have", () => {
    const database = emptyDatabase();
    expect(() => {
      migrate(database, [users, notes, step(3, "DELETE FROM note; DROP TABLE missing")], () => undefined);
    }).toThrow("no such table: missing");
    expect(version(database)).toBe(2);
    expect(database.prepare("SELECT user_id FROM note").pluck().all()).toEqual(["ada"]);
    expect(database.pragma("foreign_keys", { simple: true })).toBe(1);
  });

  test("is also one that leaves a reference to nothing", () => {
    const database = emptyDatabase();
    migrate(database, [users, notes], () => undefined);
    expect(() => {
      migrate(database, [users, notes, step(3, "DELETE FROM user")], () => undefined);
    }).toThrow("Migration 3 breaks 1 references");
    expect(database.prepare("SELECT id FROM user").pluck().all()).toEqual(["ada"]);
  });
});
