/** kv.db from a connection of its own. */
import Database from "better-sqlite3";

/** What a statement finds. */
export function readKv(kvPath: string, sql: string): unknown[] {
  const database = new Database(kvPath, { readonly: true });
  try {
    return database.prepare(sql).raw().all();
  } finally {
    database.close();
  }
}

export function changeKv(kvPath: string, sql: string): void {
  const database = new Database(kvPath);
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}
