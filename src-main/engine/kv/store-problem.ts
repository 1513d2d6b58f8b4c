import Database from "better-sqlite3";

/** Why something is not in the store, or the store cannot be used at all. Nothing ever depends on it: it is computed again. */
type StoreProblem =
  /** The disk has no room. */
  | "disk-full"
  /** The folder or the file cannot be written. */
  | "read-only"
  /** The file is from a newer Reprise and was left as it is. */
  | "newer"
  /** The file belongs to another program and was left as it is. */
  | "foreign"
  /** Another process holds it. */
  | "busy"
  /** The file was damaged; it is begun anew. */
  | "damaged"
  /** There was no room under the budget that could be freed. */
  | "over-budget"
  /** Larger than a database takes. */
  | "too-large"
  /** What it stands on is not there. */
  | "orphan"
  | "other";

export interface StoreFailure {
  readonly reason: StoreProblem;
  /** For the log and for those who want to know exactly. */
  readonly detail: string;
}

export function storeFailure(caught: unknown): StoreFailure {
  const code = errorCode(caught);
  const message = caught instanceof Error ? caught.message : String(caught);
  return { reason: problemOf(code), detail: `${code}: ${message}` };
}

function problemOf(code: string): StoreProblem {
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return "damaged";
  // A file that became shorter under our feet.
  if (code === "SQLITE_IOERR_SHORT_READ") return "damaged";
  // What is asked never changes: where it makes no sense, the file is not what it says it is.
  if (code === "SQLITE_ERROR") return "damaged";
  if (code === "SQLITE_FULL" || code === "ENOSPC" || code === "EDQUOT") return "disk-full";
  if (code.startsWith("SQLITE_BUSY")) return "busy";
  if (code === "SQLITE_TOOBIG") return "too-large";
  return /^(SQLITE_(CANTOPEN|READONLY|PERM|AUTH)|E(ACCES|PERM|ROFS|NOENT|NOTDIR|ISDIR|EXIST))/.test(code)
    ? "read-only"
    : "other";
}

function errorCode(caught: unknown): string {
  if (caught instanceof Database.SqliteError) return caught.code;
  return caught instanceof Error && "code" in caught ? String(caught.code) : "unknown";
}
