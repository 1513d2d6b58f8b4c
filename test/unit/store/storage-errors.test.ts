import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { RepriseError } from "../../../src-main/contract/errors.ts";
import { createMessageStore } from "../../../src-main/store/message-store.ts";
import { toStorageError, withStorageErrors } from "../../../src-main/store/storage-errors.ts";
import { codedError } from "../../helpers/coded-error.ts";
import { addExchange, openTestStore } from "../../helpers/open-test-store.ts";

/** The messages of a store on a disk that takes nothing more. */
function storeOnFullDisk() {
  const { folder, ...store } = openTestStore();
  const exchange = addExchange(store);
  store.close();
  const database = new Database(join(folder, "reprise.db"));
  onTestFinished(() => {
    database.close();
  });
  const pages = database.pragma("page_count", { simple: true }) as number;
  database.pragma(`max_page_count = ${pages}`);
  return { ...exchange, messages: withStorageErrors(createMessageStore(database, Date.now)) };
}

describe("a full disk", () => {
  test("is told in a sentence, and everything saved before stays", () => {
    const { messages, conversationId, answer } = storeOnFullDisk();
    const content = "long ".repeat(100_000);
    const send = () => messages.addUserMessage({ conversationId, parentId: answer.id, content });
    expect(send).toThrow(codedError("STORAGE_FAILED", { reason: "disk-full" }));
    expect(send).toThrow("The disk is full, so this was not saved. Everything saved before is kept.");
    expect(messages.activePath(conversationId).map(({ id }) => id)).toEqual([answer.parentId, answer.id]);
  });
});

describe("an error", () => {
  test.each([
    ["SQLITE_FULL", "disk-full"],
    ["SQLITE_READONLY_DBMOVED", "read-only"],
    ["SQLITE_CORRUPT_VTAB", "corrupt"],
    ["SQLITE_IOERR_WRITE", "other"],
  ])("%s of SQLite is STORAGE_FAILED, %s", (code, reason) => {
    const error = toStorageError(new Database.SqliteError("what SQLite says", code));
    expect(error).toMatchObject({ code: "STORAGE_FAILED", data: { reason, detail: `${code}: what SQLite says` } });
  });

  test("of our own, or a defect, stays what it is", () => {
    const ours = new RepriseError("ENGINE_STOPPED", "The engine was stopped.", {});
    const defect = new TypeError("undefined is not a function");
    expect([toStorageError(ours), toStorageError(defect)]).toEqual([ours, defect]);
  });
});
