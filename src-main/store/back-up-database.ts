import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Database } from "better-sqlite3";
import { fileTimeStamp } from "./file-time-stamp.ts";

const keptBackups = 3;
const backupName = /^reprise-.+-v\d+\.db$/;

function removeOldBackups(folder: string): void {
  const backups = readdirSync(folder).filter((name) => backupName.test(name));
  for (const name of backups.sort().slice(0, -keptBackups)) rmSync(join(folder, name));
}

/**
 * Copies the whole database to `backups/` in its folder and keeps the last three copies. Returns the copy's path.
 * It gets its name once it is whole, so that a copy cut short is never taken for a backup.
 */
export function backUpDatabase(database: Database, version: number): string {
  const folder = join(dirname(database.name), "backups");
  const path = join(folder, `reprise-${fileTimeStamp(new Date())}-v${version}.db`);
  const partial = join(folder, "unfinished.db");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(partial, { force: true });
  database.prepare("VACUUM INTO ?").run(partial);
  renameSync(partial, path);
  removeOldBackups(folder);
  return path;
}
