/**
 * The open kv.db. It owns the connection and what becomes of it: the file may be deleted, damaged or cut off from us at
 * any time while we run. Then it is begun anew, or the store goes on without one and tries again later.
 */
import { statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { createBlockTables, type BlockTables } from "./block-tables.ts";
import { rewriteTokens } from "./kv-schema.ts";
import { openKvDatabase, replaceKvDatabase } from "./open-kv-database.ts";
import { storeFailure, type StoreFailure } from "./store-problem.ts";
import { pageBytes } from "./stored-block.ts";

export type Attempt<Result> =
  { readonly kind: "done"; readonly result: Result } | ({ readonly kind: "failed" } & StoreFailure);

export type FileLoss = "lost" | "damaged" | "cleared";

export interface KvFileEvents {
  /** A connection was made; also after a loss. */
  readonly onOpened: (tables: BlockTables) => void;
  /** All that was in the file is gone. */
  readonly onLost: (loss: FileLoss) => void;
}

interface Connection {
  readonly database: Database;
  readonly tables: BlockTables;
  readonly inode: bigint;
}

const retryAfterMs = 30_000;

export class KvFile implements Disposable {
  /** Why what was found at the start could not be used; `null` where it could, or nothing was there. */
  readonly startedAnew: "damaged" | "older" | null;
  readonly #path: string;
  readonly #events: KvFileEvents;
  readonly #now: () => number;
  #connection: Connection | null = null;
  #failure: StoreFailure | null = null;
  #nextTryMs = 0;
  #isClosed = false;

  constructor(path: string, now: () => number, events: KvFileEvents) {
    this.#path = path;
    this.#now = now;
    this.#events = events;
    this.startedAnew = this.#connect();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#disconnect();
  }

  /** `null` while the store works. */
  get failure(): StoreFailure | null {
    return this.#failure;
  }

  get sizeBytes(): number {
    const pages = this.attempt(({ database }) => database.pragma("page_count", { simple: true }) as number);
    return pages.kind === "done" ? pages.result * pageBytes : 0;
  }

  /** Does `work` on the file there is now. What it threw is the outcome; a transaction it was in is rolled back. */
  attempt<Result>(work: (connection: Pick<Connection, "database" | "tables">) => Result): Attempt<Result> {
    if (this.#isClosed) return { kind: "failed", ...closed };
    if (this.#isLost()) this.#giveUp("lost");
    if (this.#connection === null && this.#now() >= this.#nextTryMs) this.#connect();
    if (this.#connection === null) return { kind: "failed", ...(this.#failure ?? closed) };
    try {
      return { kind: "done", result: work(this.#connection) };
    } catch (caught) {
      const failure = storeFailure(caught);
      if (failure.reason === "damaged") this.#replace("damaged");
      return { kind: "failed", ...failure };
    }
  }

  /** All or nothing. */
  write<Result>(work: (tables: BlockTables) => Result): Attempt<Result> {
    return this.attempt(({ database, tables }) => database.transaction(() => work(tables)).immediate());
  }

  /** Begins with an empty file: the disk has its room back at once. A file that is not in use is left alone. */
  clear(): void {
    if (this.#connection !== null) this.#replace("cleared");
  }

  /**
   * Gives some of the room of removed blocks back to the disk, as long as there is more than `keepBytes` of it. Returns
   * how many bytes, 0 when there is nothing to do.
   */
  vacuumStep(keepBytes: number, stepBytes: number): number {
    const step = this.attempt(({ database }) => {
      const free = database.pragma("freelist_count", { simple: true }) as number;
      const pages = Math.min(Math.floor(stepBytes / pageBytes), free - Math.ceil(keepBytes / pageBytes));
      if (pages > 0) database.pragma(`incremental_vacuum(${pages})`);
      return Math.max(0, pages) * pageBytes;
    });
    return step.kind === "done" ? step.result : 0;
  }

  /**
   * No token of what was removed is in the file any more. Of its keys and values a page or so may be left, where rows were
   * moved before: to write these anew would be to write the whole file.
   */
  scrub(): void {
    this.attempt(({ database }) => {
      rewriteTokens(database);
      // Free pages hold what was in them.
      database.pragma("incremental_vacuum");
    });
  }

  #connect(): "damaged" | "older" | null {
    this.#nextTryMs = this.#now() + retryAfterMs;
    const opened = openKvDatabase(this.#path);
    if (opened.kind === "off") {
      this.#failure = { reason: opened.reason, detail: opened.detail };
      return null;
    }
    if (this.#use(opened.database)) return opened.startedAnew;
    if (this.#failure?.reason !== "damaged") return null;
    // The header was in order, but the tables are not.
    this.#events.onLost("damaged");
    const anew = replaceKvDatabase(this.#path);
    if (anew.kind === "off") this.#failure = { reason: anew.reason, detail: anew.detail };
    else this.#use(anew.database);
    return "damaged";
  }

  #use(database: Database): boolean {
    try {
      const tables = createBlockTables(database);
      this.#events.onOpened(tables);
      this.#connection = { database, tables, inode: inodeOf(this.#path) ?? 0n };
      this.#failure = null;
      return true;
    } catch (caught) {
      database.close();
      this.#failure = storeFailure(caught);
      return false;
    }
  }

  /** Gone, or another file in its place. */
  #isLost(): boolean {
    return this.#connection !== null && inodeOf(this.#path) !== this.#connection.inode;
  }

  #giveUp(loss: FileLoss): void {
    this.#disconnect();
    this.#nextTryMs = 0;
    this.#events.onLost(loss);
  }

  #replace(loss: FileLoss): void {
    this.#giveUp(loss);
    const opened = replaceKvDatabase(this.#path);
    if (opened.kind === "open") this.#use(opened.database);
    else this.#failure = { reason: opened.reason, detail: opened.detail };
    this.#nextTryMs = this.#now() + retryAfterMs;
  }

  #disconnect(): void {
    this.#connection?.database.close();
    this.#connection = null;
  }
}

const closed: StoreFailure = { reason: "other", detail: "the store was closed" };

/** `null`: there is no such file. */
function inodeOf(path: string): bigint | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
  } catch {
    return null;
  }
}
