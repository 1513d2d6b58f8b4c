/** What a prompt looks like to the model: its text, its tokens, and where its messages lie. */
import { z } from "zod";
import { draftSchema } from "./draft.ts";
import { templateInUseSchema } from "./model.ts";
import { chatTemplateSchema } from "./model-settings.ts";

const previewTokenSchema = z.object({
  id: z.int(),
  /**
   * What it spells; of `control` tokens their names; of `bytes`, which are a part of a character, their hexadecimal
   * digits.
   */
  text: z.string(),
  kind: z.enum(["text", "control", "bytes"]),
});
export type PreviewToken = z.infer<typeof previewTokenSchema>;

const previewMessageSchema = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  /** Its tokens are those from `start` on and before `end`, with all that the template writes for it. */
  start: z.int(),
  end: z.int(),
});

/** The very tokens that answering these messages would begin with. */
const shownPromptSchema = z.object({
  text: z.string(),
  tokens: z.array(previewTokenSchema),
  /** In order. What stands before the first belongs to none. */
  messages: z.array(previewMessageSchema),
  /** Where the words begin that open the answer. */
  answerStart: z.int(),
});
export type ShownPrompt = z.infer<typeof shownPromptSchema>;

const previewFailureSchema = z.object({
  /** A clause that fits after a colon. */
  reason: z.string(),
  /** Of the template's source, counted from 1; `null` where it has no place. */
  line: z.int().nullable(),
});

/** What a prompt is made with, as the engine sees it. */
export const renderedPreviewSchema = z.object({
  /** The template in the model's file; `null` where it has none. */
  ownTemplate: z.string().nullable(),
  /** What the prompt was made with. */
  inUse: templateInUseSchema,
  /** `null` where the template failed, and then `failure` says why. */
  prompt: shownPromptSchema.nullable(),
  failure: previewFailureSchema.nullable(),
  /** How the prompt fits the loaded model; `null` where another one is loaded, or none. */
  room: z.object({ contextTokens: z.int(), isFitting: z.boolean() }).nullable(),
});
export type RenderedPreview = z.infer<typeof renderedPreviewSchema>;

export const promptPreviewInputSchema = z.object({
  /**
   * `sample`: a short conversation of our own, with the family's system prompt. `conversation`: the prompt of its last
   * question, or with a text, the one that sending it now would make; it begins with the same system prompt where
   * nothing is said yet. `message`: the prompt of one answer, or of one question, as it would be made now.
   */
  of: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("sample"), modelId: z.string() }),
    z.object({ kind: z.literal("conversation"), ...draftSchema.shape }),
    z.object({ kind: z.literal("message"), messageId: z.string() }),
  ]),
  /** A template to try, which is stored nowhere; `null`: the file's own. Absent: what answers are written with. */
  chatTemplate: chatTemplateSchema.nullable().optional(),
});
export type PromptPreviewInput = z.infer<typeof promptPreviewInputSchema>;

export const promptPreviewSchema = renderedPreviewSchema.extend({
  modelId: z.string(),
  modelName: z.string(),
  /** Whose template it is; `null` while it is not known which model the file holds. */
  familyId: z.string().nullable(),
  /** What is stored for the family; `null`: nothing, so the file's own is used. */
  override: z.string().nullable(),
  /** How many of the conversation's oldest messages are left out for the prompt to fit. */
  droppedMessages: z.int(),
});
export type PromptPreview = z.infer<typeof promptPreviewSchema>;
