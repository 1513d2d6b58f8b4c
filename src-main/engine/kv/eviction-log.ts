import { z } from "zod";
import { parseJson } from "./parse-json.ts";

const evictionEntrySchema = z.object({
  /** What needed the room: the turn that was saved, or `null` when the budget was lowered. */
  savedConversationId: z.string().nullable(),
  savedTurnId: z.string().nullable(),
  /** What went. */
  conversationId: z.string().nullable(),
  turnId: z.string().nullable(),
  fingerprint: z.string(),
  from: z.int(),
  tokenCount: z.int(),
  diskBytes: z.int(),
});

/** Which save evicted what: one block. */
export type EvictionEntry = z.infer<typeof evictionEntrySchema> & { readonly atMs: number };

/** As many as are kept. */
export const evictionLogLength = 500;

/** The time has a column of its own. */
export function evictionToJson(entry: EvictionEntry): string {
  return JSON.stringify(evictionEntrySchema.parse(entry));
}

/** `null` for what does not read as one. */
export function evictionFromJson(atMs: number, json: string): EvictionEntry | null {
  const entry = evictionEntrySchema.safeParse(parseJson(json));
  return entry.success ? { ...entry.data, atMs } : null;
}
