import Database from "better-sqlite3";
import { RepriseError, type ErrorData } from "../contract/errors.ts";

type StorageReason = ErrorData<"STORAGE_FAILED">["reason"];

const sentences: Record<StorageReason, string> = {
  "disk-full":
    "The disk is full, so this was not saved. Everything saved before is kept. Free some space, then try again.",
  "read-only":
    "The database cannot be written to, so this was not saved. Everything saved before is kept. Make the data folder writable, then try again.",
  corrupt:
    "A part of the database is damaged, so this could not be read or saved. Nothing was deleted. Copy the data folder to a safe place before you go on.",
  other: "The database could not be read or written just now. Everything saved before is kept. Try again.",
};

/** Of an SQLite result code (`SQLITE_FULL`) or a system error code (`ENOSPC`). */
function storageReason(code: string): StorageReason {
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return "corrupt";
  // SHMSIZE: the file beside the database that SQLite maps into memory could not grow.
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE" || code === "ENOSPC") return "disk-full";
  if (code.startsWith("SQLITE_READONLY") || code === "EROFS") return "read-only";
  return "other";
}

/** The code of an error that SQLite or the file system gave; `null` for anything else. */
export function storageErrorCode(caught: unknown): string | null {
  if (caught instanceof Database.SqliteError) return caught.code;
  if (caught instanceof Error && "syscall" in caught && "code" in caught) return String(caught.code);
  return null;
}

export function isDamage(caught: unknown): boolean {
  const code = storageErrorCode(caught);
  return code !== null && storageReason(code) === "corrupt";
}

/** STORAGE_FAILED for what SQLite or the file system threw; anything else as it is. */
export function toStorageError(caught: unknown): unknown {
  const code = storageErrorCode(caught);
  if (code === null) return caught;
  const reason = storageReason(code);
  const detail = `${code}: ${(caught as Error).message}`;
  return new RepriseError("STORAGE_FAILED", sentences[reason], { reason, detail }, { cause: caught });
}

/** The same methods, each throwing STORAGE_FAILED where SQLite fails. */
export function withStorageErrors<Methods extends object>(methods: Methods): Methods {
  const guarded = Object.entries(methods).map(([name, method]: [string, (...parameters: unknown[]) => unknown]) => [
    name,
    (...parameters: unknown[]) => {
      try {
        return method(...parameters);
      } catch (caught) {
        throw toStorageError(caught);
      }
    },
  ]);
  return Object.fromEntries(guarded) as Methods;
}
