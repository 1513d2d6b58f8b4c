import type { Migration } from "./migration.ts";

/** Which model of the list wrote an answer, and at which level. No reference: an answer remembers it when the file is gone. */
const schema = `
  ALTER TABLE message ADD COLUMN model_id TEXT;
  ALTER TABLE message ADD COLUMN model_level TEXT;
`;

export const answerModels: Migration = {
  version: 6,
  up(database) {
    database.exec(schema);
  },
};
