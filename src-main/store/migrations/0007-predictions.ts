import type { Migration } from "./migration.ts";

/**
 * For each token of an answer, the one that a level of the model finds likeliest there. `chain`: of the prompt and the
 * answer that were read. They say nearly what the answer says, so they go with it.
 */
const schema = `
  CREATE TABLE prediction (
    message_number INTEGER NOT NULL REFERENCES message (number) ON DELETE CASCADE,
    level TEXT NOT NULL,
    chain TEXT NOT NULL,
    tokens BLOB NOT NULL CHECK (length(tokens) % 4 = 0),
    PRIMARY KEY (message_number, level)
  ) STRICT, WITHOUT ROWID;
`;

export const predictions: Migration = {
  version: 7,
  up(database) {
    database.exec(schema);
  },
};
