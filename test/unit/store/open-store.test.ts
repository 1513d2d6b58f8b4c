import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../src-main/store/open-database.ts";
import { supportedVersion } from "../../../src-main/store/migrations/all-migrations.ts";
import { openStore } from "../../../src-main/store/open-store.ts";
import { codedError } from "../../helpers/coded-error.ts";
import { addExchange, openTestStore } from "../../helpers/open-test-store.ts";
import { ignoresPermissions, temporaryFolder } from "../../helpers/temporary-folder.ts";

describe("opening", () => {
  test("begins a store in a folder that is not there yet, for its owner only", () => {
    const folder = join(temporaryFolder(), "new", "Ordner für Gespräche");
    const { notices, conversations } = openTestStore(folder);
    expect(notices).toEqual([]);
    expect(conversations.list()).toEqual([]);
    if (process.platform !== "win32") expect(statSync(join(folder, "reprise.db")).mode & 0o077).toBe(0);
  });

  test("again finds everything as it was", () => {
    const { folder, ...store } = openTestStore();
    const { conversationId } = addExchange(store);
    const thread = store.messages.activePath(conversationId);
    const list = store.conversations.list();
    store.close();
    const again = openTestStore(folder);
    expect(again.conversations.list()).toEqual(list);
    expect(again.messages.activePath(conversationId)).toEqual(thread);
    expect(again.search("because")).toHaveLength(1);
  });

  test("sets the database up to survive a power failure", () => {
    const path = join(temporaryFolder(), "reprise.db");
    openDatabase(path).close();
    const database = openDatabase(path);
    const read = (name: string) => database.pragma(name, { simple: true });
    const full = 2;
    expect([read("journal_mode"), read("synchronous"), read("foreign_keys")]).toEqual(["wal", full, 1]);
    database.close();
  });

  test("creates strict tables only", () => {
    const { folder } = openTestStore();
    const database = new Database(join(folder, "reprise.db"), { readonly: true });
    const loose = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict";
    expect(database.prepare(loose).pluck().all()).toEqual(["sqlite_schema"]);
    database.close();
  });

  test("stops an answer that was being written, with its text", () => {
    const { folder, ...store } = openTestStore();
    const { conversationId, user } = addExchange(store);
    const { id } = store.messages.addAnswer({ conversationId, parentId: user.id, modelName: "model" });
    store.messages.checkpoint(id, { content: "As far as I", tokens: [1, 2, 3] });
    store.close();
    const { messages, search } = openTestStore(folder);
    expect(messages.get(id)).toMatchObject({ status: "stopped", content: "As far as I" });
    expect(messages.prompt(id).at(-1)).toMatchObject({ tokens: [1, 2, 3] });
    expect(search("as far")).toMatchObject([{ messageId: id }]);
  });
});

describe("a folder that cannot be written to", () => {
  test("because a file is in the way", () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "mine");
    for (const folder of [file, join(file, "below")]) {
      expect(() => openStore({ folder })).toThrow(codedError("FOLDER_UNWRITABLE", { path: folder }));
    }
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test.skipIf(ignoresPermissions)("because of its permissions", () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o500);
    expect(() => openStore({ folder })).toThrow(codedError("FOLDER_UNWRITABLE"));
    chmodSync(folder, 0o700);
  });

  test.skipIf(ignoresPermissions)("because of the database's permissions", () => {
    const { folder, ...store } = openTestStore();
    store.close();
    chmodSync(join(folder, "reprise.db"), 0o400);
    expect(() => openStore({ folder })).toThrow(codedError("FOLDER_UNWRITABLE"));
  });
});

test("a database of a newer version is refused and left as it is", () => {
  const { folder, ...store } = openTestStore();
  store.close();
  const path = join(folder, "reprise.db");
  const database = new Database(path);
  database.pragma("user_version = 99");
  database.close();
  const before = readFileSync(path);
  const data = { path, found: 99, supported: supportedVersion };
  expect(() => openStore({ folder })).toThrow(codedError("DATABASE_NEWER", data));
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(folder)).toEqual(["reprise.db"]);
});

test("a file that a kill left empty is begun anew without a word", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "reprise.db"), "");
  expect(openTestStore(folder).notices).toEqual([]);
});

test("a folder of the database's name is set aside like any other damage", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "reprise.db"));
  const { notices } = openTestStore(folder);
  expect(notices).toMatchObject([{ code: "STORAGE_FAILED", data: { reason: "corrupt" } }]);
});
