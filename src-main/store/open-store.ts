/**
 * Opens reprise.db, the only place of what the user wrote and was answered. The caller holds the data folder's lock.
 * What a process that died left behind is put right here: answers that were being written, a database beyond use.
 */
import { resolve } from "node:path";
import type { Database } from "better-sqlite3";
import { RepriseError } from "../contract/errors.ts";
import { backUpDatabase } from "./back-up-database.ts";
import { createClock } from "./clock.ts";
import { createConversationStore } from "./conversation-store.ts";
import { ensureDataFolder, toOpeningError } from "./data-folder.ts";
import { createMessageStore } from "./message-store.ts";
import { migrate } from "./migrate.ts";
import { allMigrations } from "./migrations/all-migrations.ts";
import { createModelFactsStore } from "./model-facts-store.ts";
import { createModelFileStore } from "./model-file-store.ts";
import { createModelSettingStore } from "./model-setting-store.ts";
import { DamagedDatabaseError, openDatabase } from "./open-database.ts";
import { createPredictionStore } from "./prediction-store.ts";
import { createQuarantineStore } from "./quarantine-store.ts";
import { setAside } from "./set-aside.ts";
import { createSettingStore } from "./setting-store.ts";
import { isDamage, withStorageErrors } from "./storage-errors.ts";

function createStore(database: Database) {
  const now = createClock();
  return {
    conversations: withStorageErrors(createConversationStore(database, now)),
    messages: withStorageErrors(createMessageStore(database, now)),
    modelFiles: withStorageErrors(createModelFileStore(database, now)),
    quarantine: withStorageErrors(createQuarantineStore(database, now)),
    modelFacts: withStorageErrors(createModelFactsStore(database)),
    modelSettings: withStorageErrors(createModelSettingStore(database)),
    predictions: withStorageErrors(createPredictionStore(database)),
    settings: withStorageErrors(createSettingStore(database)),
    close: () => {
      database.close();
    },
  };
}
type Store = ReturnType<typeof createStore>;

/** Also where nothing was being written: the first write shows whether writing is possible at all. */
function stopStreamingMessages(database: Database): void {
  database.prepare("UPDATE message SET status = 'stopped' WHERE status = 'streaming'").run();
}

/** Absolute, because SQLite's driver cuts spaces off a path's beginning and takes `file:` for an address. */
function databasePath(folder: string): string {
  return resolve(folder, "reprise.db");
}

function openAt(folder: string): Store {
  const database = openDatabase(databasePath(folder));
  try {
    migrate(database, allMigrations, (version) => backUpDatabase(database, version));
    stopStreamingMessages(database);
    return createStore(database);
  } catch (caught) {
    database.close();
    throw caught;
  }
}

function setAsideNotice(keptPath: string, caught: Error): RepriseError<"STORAGE_FAILED"> {
  return new RepriseError(
    "STORAGE_FAILED",
    `The database could not be read (${caught.message}). It was kept as ${keptPath}, and Reprise began a new one. Nothing was deleted.`,
    { reason: "corrupt", detail: keptPath },
    { cause: caught },
  );
}

function openOrBeginAnew(folder: string): { store: Store; notices: RepriseError[] } {
  try {
    return { store: openAt(folder), notices: [] };
  } catch (caught) {
    if (!(caught instanceof DamagedDatabaseError || (caught instanceof Error && isDamage(caught)))) throw caught;
    const notice = setAsideNotice(setAside(databasePath(folder), new Date()), caught);
    return { store: openAt(folder), notices: [notice] };
  }
}

/**
 * Opens the store of a data folder, creating either where it is missing. A damaged database is set aside and told of in
 * `notices`. Throws FOLDER_UNWRITABLE, DATABASE_NEWER, STORAGE_FAILED.
 */
export function openStore({ folder }: { folder: string }): { store: Store; notices: RepriseError[] } {
  ensureDataFolder(folder);
  try {
    return openOrBeginAnew(folder);
  } catch (caught) {
    throw toOpeningError(caught, folder);
  }
}
