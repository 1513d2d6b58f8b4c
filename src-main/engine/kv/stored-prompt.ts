import { crc32 } from "node:zlib";
import { z } from "zod";
import { tokenBytes } from "./block-key.ts";
import { parseJson } from "./parse-json.ts";
import type { PromptRecord } from "./prompt-record.ts";
import type { PromptRow } from "./prompt-tables.ts";

/** A prompt as it is remembered, in memory and in kv.db. */
export interface RememberedPrompt {
  /** Grows with every prompt: the latest has the largest. */
  readonly id: number;
  readonly conversationId: string;
  readonly record: PromptRecord;
  /** Which of its tokens were computed for it: what comes before was there already, the rest was given up. */
  readonly computed: { readonly from: number; readonly to: number };
}

const count = z.int().nonnegative();

const messageSchema = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  start: count,
  contentHash: z.string(),
  hasThoughts: z.boolean(),
});

const factsSchema = z.object({
  promptTokens: count,
  messages: z.array(messageSchema).readonly(),
  answerStart: count,
  templateId: z.string(),
  toolsHash: z.string().nullable(),
  modelFingerprint: z.string(),
  settingsFingerprint: z.string(),
  droppedMessages: count,
  computed: z.object({ from: count, to: count }),
});

export function promptToRow({ id, conversationId, record, computed }: RememberedPrompt): PromptRow {
  const { tokens, ...rest } = record;
  const facts = JSON.stringify({ ...rest, computed } satisfies z.infer<typeof factsSchema>);
  const bytes = tokenBytes(tokens);
  return { id, conversationId, facts, tokens: bytes, checksum: checksumOf(facts, bytes) };
}

/** `null` for what is not as it was written. */
export function promptFromRow({
  id,
  conversationId,
  facts,
  tokens: bytes,
  checksum,
}: PromptRow): RememberedPrompt | null {
  if (bytes.length % 4 !== 0 || checksumOf(facts, bytes) !== checksum) return null;
  const read = factsSchema.safeParse(parseJson(facts));
  if (!read.success) return null;
  const { computed, ...rest } = read.data;
  const tokens = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(index * 4));
  return { id, conversationId, record: { tokens, ...rest }, computed };
}

function checksumOf(facts: string, tokens: Buffer): number {
  return crc32(tokens, crc32(facts));
}
