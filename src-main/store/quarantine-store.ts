import type { Database } from "better-sqlite3";

/** A model file that brought the engine down. `stamp` tells the file as it was then; another content is another file. */
interface QuarantinedFile {
  readonly path: string;
  readonly stamp: string;
  readonly cause: string;
}

export function createQuarantineStore(database: Database, now: () => number) {
  const one = database.prepare<[string], QuarantinedFile>(
    "SELECT path, stamp, cause FROM quarantined_file WHERE path = ?",
  );
  const save = database.prepare<QuarantinedFile & { at: number }>(`
    INSERT INTO quarantined_file (path, stamp, cause, quarantined_at) VALUES (@path, @stamp, @cause, @at)
    ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, cause = excluded.cause, quarantined_at = excluded.quarantined_at`);
  const deleteOne = database.prepare<[string]>("DELETE FROM quarantined_file WHERE path = ?");

  return {
    /** `null` where the file at that path never was, or was released. */
    get: (path: string): QuarantinedFile | null => one.get(path) ?? null,

    add: (file: QuarantinedFile): void => {
      save.run({ ...file, at: now() });
    },

    /** Where it is not there, nothing happens. */
    release: (path: string): void => {
      deleteOne.run(path);
    },
  };
}
