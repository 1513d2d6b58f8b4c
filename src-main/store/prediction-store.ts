import type { Database } from "better-sqlite3";
import { decodeTokens, encodeTokens } from "./token-blob.ts";

/** What a level of a model says of an answer. */
interface Prediction {
  readonly messageId: string;
  /** Which level, of which file, under which options. */
  readonly level: string;
  /** Of the prompt and the answer as they were read; another one is another question. */
  readonly chain: string;
  readonly tokens: readonly number[];
}

interface Row extends Omit<Prediction, "level" | "tokens"> {
  readonly tokens: Buffer;
}

export function createPredictionStore(database: Database) {
  const ofLevel = database.prepare<{ conversationId: string; level: string }, Row>(`
    SELECT message.id AS messageId, prediction.chain, prediction.tokens
    FROM message JOIN prediction ON prediction.message_number = message.number AND prediction.level = @level
    WHERE message.conversation_id = @conversationId`);
  const save = database.prepare<Omit<Prediction, "tokens"> & { tokens: Buffer }>(`
    INSERT INTO prediction (message_number, level, chain, tokens)
    SELECT number, @level, @chain, @tokens FROM message WHERE id = @messageId
    ON CONFLICT (message_number, level) DO UPDATE SET chain = excluded.chain, tokens = excluded.tokens`);

  return {
    /** All that is known of a conversation's answers. */
    of: (conversationId: string, level: string): (Pick<Prediction, "messageId" | "chain"> & { tokens: number[] })[] =>
      ofLevel.all({ conversationId, level }).map((row) => ({ ...row, tokens: decodeTokens(row.tokens) })),

    /** Replaces what was known of the answer under another chain. Nothing where the answer is gone. */
    keep: ({ messageId, level, chain, tokens }: Prediction): void => {
      save.run({ messageId, level, chain, tokens: encodeTokens(tokens) });
    },
  };
}
