import type { Database } from "better-sqlite3";
import { modelFactsSchema, type ModelFacts } from "../contract/model-library.ts";

/** A file as it was when it was looked into. */
interface Stamp {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

interface Row {
  readonly facts: string | null;
  readonly sha256: string | null;
}

export function createModelFactsStore(database: Database) {
  const find = database.prepare<Stamp, Row>(
    "SELECT facts, sha256 FROM model_facts WHERE path = @path AND size_bytes = @sizeBytes AND modified_ms = @modifiedMs",
  );
  const begin = database.prepare<Stamp>(`
    INSERT INTO model_facts (path, size_bytes, modified_ms) VALUES (@path, @sizeBytes, @modifiedMs)
    ON CONFLICT (path) DO UPDATE
      SET size_bytes = excluded.size_bytes, modified_ms = excluded.modified_ms, facts = NULL, sha256 = NULL
      WHERE size_bytes <> excluded.size_bytes OR modified_ms <> excluded.modified_ms`);
  const setFacts = database.prepare<[string, string]>("UPDATE model_facts SET facts = ? WHERE path = ?");
  const setSha256 = database.prepare<[string, string]>("UPDATE model_facts SET sha256 = ? WHERE path = ?");
  const stampOf = ({ path, sizeBytes, modifiedMs }: Stamp): Stamp => ({ path, sizeBytes, modifiedMs });

  return {
    /** Of this file as it is now; `facts` is `null` where it was not read, or by another version of the reading. */
    find: (file: Stamp): { facts: ModelFacts | null; sha256: string | null } => {
      const { facts: json = null, sha256 = null } = find.get(stampOf(file)) ?? {};
      const facts = modelFactsSchema.safeParse(json === null ? null : JSON.parse(json));
      return { facts: facts.success ? facts.data : null, sha256 };
    },

    /** What is known of the files as they were before is forgotten. All or none, since each save waits for the disk. */
    setFacts: database.transaction((found: readonly { file: Stamp; facts: ModelFacts }[]): void => {
      for (const { file, facts } of found) {
        begin.run(stampOf(file));
        setFacts.run(JSON.stringify(modelFactsSchema.parse(facts)), file.path);
      }
    }),

    setSha256: database.transaction((file: Stamp, sha256: string): void => {
      begin.run(stampOf(file));
      setSha256.run(sha256, file.path);
    }),
  };
}
