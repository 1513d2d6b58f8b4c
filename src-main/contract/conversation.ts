import { z } from "zod";
import { errorViewSchema } from "./errors.ts";
import { idSchema } from "./id.ts";
import { turnReportSchema } from "./turn-report.ts";

/** How the next token is chosen. `seed: null` draws a fresh random seed for each answer; the report names it. */
export const samplingSchema = z.object({
  temperature: z.number().min(0).max(5),
  topK: z.int().min(0).max(1_000),
  topP: z.number().gt(0).max(1),
  minP: z.number().min(0).max(1),
  repeatPenalty: z.number().min(0.5).max(2),
  /** How many of the last tokens the repeat penalty looks at. */
  repeatPenaltyTokens: z.int().min(0).max(4_096),
  seed: z.int().min(0).max(0xffff_ffff).nullable(),
  /** `null`: until the model ends its answer or the context is full. */
  maxTokens: z.int().min(1).nullable(),
  stop: z.array(z.string().min(1)).max(16),
});
export type Sampling = z.infer<typeof samplingSchema>;

/** Mild settings that suit small instruction models; topK bounds the sampler's cost (0 would sort the whole vocabulary). */
export const defaultSampling: Sampling = {
  temperature: 0.7,
  topK: 40,
  topP: 0.95,
  minP: 0.05,
  repeatPenalty: 1.1,
  repeatPenaltyTokens: 64,
  seed: null,
  maxTokens: null,
  stop: [],
};

/** What happens when the next prompt does not fit: offer to choose, drop the oldest turns, or stop. */
export const overflowPolicySchema = z.enum(["ask", "drop-oldest", "stop"]);

/** A row of the conversation list. Times are milliseconds since 1970. */
export const conversationSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  modelId: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  pinned: z.boolean(),
  archived: z.boolean(),
  /** An answer is being written right now. */
  generating: z.boolean(),
});
export type ConversationSummary = z.infer<typeof conversationSummarySchema>;

export const conversationSchema = conversationSummarySchema.extend({
  systemPrompt: z.string(),
  sampling: samplingSchema,
  overflowPolicy: overflowPolicySchema,
  folder: z.string().nullable(),
  activeLeafId: z.string().nullable(),
});
export type Conversation = z.infer<typeof conversationSchema>;

export const conversationPatchSchema = z
  .object({
    title: z.string().trim().min(1).max(200),
    systemPrompt: z.string(),
    sampling: samplingSchema,
    overflowPolicy: overflowPolicySchema,
    modelId: z.string().nullable(),
    folder: z.string().nullable(),
    pinned: z.boolean(),
    archived: z.boolean(),
  })
  .partial();
export type ConversationPatch = z.infer<typeof conversationPatchSchema>;

/** `id`: chosen beforehand where a draft was prepared under it; INVALID_INPUT where a conversation has it already. */
export const newConversationSchema = conversationPatchSchema.extend({ id: idSchema.optional() });
export type NewConversation = z.infer<typeof newConversationSchema>;

const messageStatusSchema = z.enum(["streaming", "complete", "stopped", "failed"]);
export type MessageStatus = z.infer<typeof messageStatusSchema>;

/** One message of the active path. Every edit and regeneration is a sibling; nothing is overwritten. */
export const messageSchema = z.object({
  id: z.string(),
  conversationId: z.string(),
  parentId: z.string().nullable(),
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  status: messageStatusSchema,
  createdAt: z.number(),
  /** The model file that wrote it, as a name that outlives the file. `null` for the user's own messages. */
  modelName: z.string().nullable(),
  /** Its id on the list and its level (`Q4_K_M`), kept when the file is gone; `null` where they were not known. The report has the hash. */
  modelId: z.string().nullable(),
  modelLevel: z.string().nullable(),
  /** Ids of all messages with the same parent, in order of creation, this one included. */
  siblingIds: z.array(z.string()),
  /** Why it failed; `null` unless status is `failed`. */
  error: errorViewSchema.nullable(),
  report: turnReportSchema.nullable(),
});
export type Message = z.infer<typeof messageSchema>;

/** The messages from the first to the active leaf. */
export const threadSchema = z.object({ conversation: conversationSchema, messages: z.array(messageSchema) });
export type Thread = z.infer<typeof threadSchema>;

/** A conversation that holds all words searched for: in its title (`messageId: null`), or best in that message. */
export const searchHitSchema = z.object({
  conversationId: z.string(),
  messageId: z.string().nullable(),
  /** The words around the first place. */
  snippet: z.string(),
});
export type SearchHit = z.infer<typeof searchHitSchema>;
