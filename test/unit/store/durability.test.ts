import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { startScript } from "../../helpers/child-script.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const storeWriter = new URL("../../helpers/store-writer.ts", import.meta.url);

interface Told {
  readonly type: "user" | "progress" | "finished";
  readonly id: string;
  readonly content: string;
}

/** Kills the writer once it has told of so many writes, wherever it is then. Returns what it had told of. */
async function writeUntilKilled(folder: string, writes: number): Promise<Told[]> {
  const writer = startScript(storeWriter, folder);
  const lines: string[] = [];
  while (lines.length < writes) lines.push(await writer.line());
  lines.push(...(await writer.kill()));
  return lines.map((line) => JSON.parse(line) as Told);
}

test.each([1, 4, 9, 40, 150])(
  "after kill -9 past %i writes, every write the store confirmed is there",
  async (writes) => {
    const folder = temporaryFolder();
    const told = await writeUntilKilled(folder, writes);
    const { messages, notices, conversations } = openTestStore(folder);
    expect(notices).toEqual([]);
    expect(conversations.list()).toHaveLength(1);
    // The last word about each message; a kill between a write and its telling may have left more, never less.
    for (const { type, id, content } of new Map(told.map((each) => [each.id, each])).values()) {
      const message = messages.get(id);
      expect(message.content.startsWith(content)).toBe(true);
      if (type === "finished") expect(message).toMatchObject({ status: "complete", report: { stopReason: "end" } });
      if (type === "progress") expect(["stopped", "complete"]).toContain(message.status);
    }
    const database = new Database(join(folder, "reprise.db"));
    expect(database.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(database.pragma("foreign_key_check")).toEqual([]);
    database.close();
  },
);
