import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileTimeStamp } from "./file-time-stamp.ts";

/** What belongs to a database: the file itself, and what SQLite keeps beside it. */
const suffixes = ["", "-wal", "-shm", "-journal"];

/** Renames a damaged database, with the files beside it, to a name of its own. Returns the new path; nothing is deleted. */
export function setAside(databasePath: string, time: Date): string {
  const kept = join(dirname(databasePath), `reprise.corrupt-${fileTimeStamp(time)}.db`);
  for (const suffix of suffixes) {
    if (existsSync(databasePath + suffix)) renameSync(databasePath + suffix, kept + suffix);
  }
  return kept;
}
