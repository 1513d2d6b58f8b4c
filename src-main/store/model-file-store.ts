import type { Database } from "better-sqlite3";
import { newId } from "../contract/id.ts";
import { threadTuningSchema, type ThreadTuning } from "../contract/model.ts";
import { notFound } from "./not-found.ts";

interface StoredModelFile {
  readonly id: string;
  readonly path: string;
}

export function createModelFileStore(database: Database, now: () => number) {
  const listAll = database.prepare<[], StoredModelFile>("SELECT id, path FROM model_file ORDER BY added_at");
  const byPath = database.prepare<[string], StoredModelFile>("SELECT id, path FROM model_file WHERE path = ?");
  const insert = database.prepare<StoredModelFile & { addedAt: number }>(
    "INSERT INTO model_file (id, path, added_at) VALUES (@id, @path, @addedAt)",
  );
  const deleteOne = database.prepare<[string]>("DELETE FROM model_file WHERE id = ?");
  const tuningOf = database.prepare<[string], { tuning: string; measuredAt: number }>(
    "SELECT tuning, measured_at AS measuredAt FROM thread_tuning WHERE key = ?",
  );
  const saveTuning = database.prepare<[string, string, number]>(`
    INSERT INTO thread_tuning (key, tuning, measured_at) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET tuning = excluded.tuning, measured_at = excluded.measured_at`);

  return {
    /** In the order they were added. */
    list: (): StoredModelFile[] => listAll.all(),

    /** A path that is known already keeps its id. */
    add: (path: string): StoredModelFile => {
      const known = byPath.get(path);
      if (known !== undefined) return known;
      const file = { id: newId(), path };
      insert.run({ ...file, addedAt: now() });
      return file;
    },

    remove: (modelId: string): void => {
      if (deleteOne.run(modelId).changes === 0) throw notFound("model", modelId);
    },

    /** `null` where nothing was measured, or in a form this version does not know: then it is measured again. */
    tuning: (key: string): { tuning: ThreadTuning; measuredAt: number } | null => {
      const row = tuningOf.get(key);
      if (row === undefined) return null;
      const stored = threadTuningSchema.safeParse(JSON.parse(row.tuning));
      return stored.success ? { tuning: stored.data, measuredAt: row.measuredAt } : null;
    },

    setTuning: (key: string, tuning: ThreadTuning): void => {
      saveTuning.run(key, JSON.stringify(threadTuningSchema.parse(tuning)), now());
    },
  };
}
