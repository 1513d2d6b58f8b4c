import type { Migration } from "./migration.ts";

/** How many of a conversation's oldest messages its last prompt was without, so that the next one begins there too. */
const schema = `
  ALTER TABLE conversation ADD COLUMN left_out_messages INTEGER NOT NULL DEFAULT 0 CHECK (left_out_messages >= 0);
`;

export const leftOut: Migration = {
  version: 3,
  up(database) {
    database.exec(schema);
  },
};
