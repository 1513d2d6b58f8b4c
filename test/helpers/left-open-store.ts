import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { openTestStore } from "./open-test-store.ts";
import { seedStore } from "./seed-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/**
 * A data folder as a killed process leaves it: the database with sixty messages, and a log that was not merged.
 * `conversationId` has 60 messages in the database; the conversation "In the log" is in the log only.
 */
export function leftOpenStore(): { folder: string; path: string; conversationId: string } {
  const live = temporaryFolder();
  const [conversationId] = seedStore(live, [60]);
  const { conversations } = openTestStore(live);
  conversations.create({ title: "In the log" });
  const folder = temporaryFolder();
  for (const name of ["reprise.db", "reprise.db-wal"]) copyFileSync(join(live, name), join(folder, name));
  return { folder, path: join(folder, "reprise.db"), conversationId: String(conversationId) };
}
