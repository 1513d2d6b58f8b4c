import { existsSync, readFileSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { leftOpenStore } from "../../helpers/left-open-store.ts";
import { addExchange, openTestStore } from "../../helpers/open-test-store.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

/** Opens the store, expects one notice, and returns the path it names. */
function keptPath(folder: string): string {
  const { notices, ...store } = openTestStore(folder);
  expect(notices).toMatchObject([{ code: "STORAGE_FAILED", data: { reason: "corrupt" } }]);
  const { detail } = notices[0]?.data as { detail: string };
  expect(notices[0]?.message).toContain(detail);
  expect(store.conversations.list()).toEqual([]);
  addExchange(store);
  return detail;
}

describe("a damaged database is kept under another name and a new one begun", () => {
  test("when it does not begin like one", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "reprise.db"), "not a database, but somebody's words");
    const kept = keptPath(folder);
    expect(kept).toMatch(/reprise\.corrupt-\d{4}-\d\d-\d\dT[\d-]+Z\.db$/);
    expect(readFileSync(kept, "utf8")).toBe("not a database, but somebody's words");
  });

  test("with its log, untouched, when the header is gone", () => {
    const { folder, path } = leftOpenStore();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, 0, 100));
    const log = readFileSync(`${path}-wal`);
    expect(readFileSync(`${keptPath(folder)}-wal`)).toEqual(log);
  });

  test("when it is empty but its log is not: SQLite would delete the log", () => {
    const { folder, path } = leftOpenStore();
    truncateSync(path);
    const log = readFileSync(`${path}-wal`);
    expect(readFileSync(`${keptPath(folder)}-wal`)).toEqual(log);
  });

  test("when it was cut short", () => {
    const { folder, path } = leftOpenStore();
    truncateSync(path, 40_000);
    keptPath(folder);
  });

  test("when the process was killed and a page that opening does not read is not what it was", () => {
    const { folder, path, conversationId } = leftOpenStore();
    const bytes = readFileSync(path);
    const pageSizeBytes = 4_096;
    const page = Math.floor(bytes.lastIndexOf(conversationId) / pageSizeBytes);
    writeFileSync(path, bytes.fill(0xa5, page * pageSizeBytes, (page + 1) * pageSizeBytes));
    keptPath(folder);
  });

  test("when another program wrote it", () => {
    const folder = temporaryFolder();
    const other = new Database(join(folder, "reprise.db"));
    other.exec("CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('Bread')");
    other.close();
    const kept = new Database(keptPath(folder), { readonly: true });
    expect(kept.prepare("SELECT name FROM recipe").pluck().get()).toBe("Bread");
    kept.close();
  });

  test("each time: nothing that was kept is overwritten", () => {
    const folder = temporaryFolder();
    for (const words of ["first", "second"]) {
      writeFileSync(join(folder, "reprise.db"), words);
      openTestStore(folder).close();
    }
    const kept = readdirSync(folder).filter((name) => /^reprise\.corrupt-.*\.db$/.test(name));
    expect(kept.sort().map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["first", "second"]);
  });
});

describe("what a killed process left", () => {
  test("is read with its log", () => {
    const { folder, conversationId } = leftOpenStore();
    const { notices, conversations, messages } = openTestStore(folder);
    expect(notices).toEqual([]);
    expect(conversations.list().map(({ title }) => title)).toContain("In the log");
    expect(messages.activePath(conversationId)).toHaveLength(60);
  });

  test("with a damaged search index gets a new index and loses nothing", () => {
    const { folder, path, conversationId } = leftOpenStore();
    const database = new Database(path);
    database.unsafeMode(true);
    database.exec("UPDATE message_search_data SET block = zeroblob(length(block)) WHERE id > 10");
    database.close();
    // Closing merged the log; a log that is not empty is what tells of a killed process.
    expect(existsSync(`${path}-wal`)).toBe(false);
    writeFileSync(`${path}-wal`, Buffer.alloc(32));
    const { notices, messages, search } = openTestStore(folder);
    expect(notices).toEqual([]);
    expect(messages.activePath(conversationId)).toHaveLength(60);
    expect(search("window")).toHaveLength(1);
  });
});
