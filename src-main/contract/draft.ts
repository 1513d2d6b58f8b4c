/** A message that is being typed: what is asked about it before it is sent. */
import { z } from "zod";
import { conversationPatchSchema } from "./conversation.ts";

/** Nothing of it is stored. */
export const draftSchema = z.object({
  conversationId: z.string(),
  text: z.string(),
  /** Where it would be sent to, as for `chat.send`. */
  parentId: z.string().nullable().optional(),
  /** Of a conversation that is not begun yet: what it will be created with, under the id that it will get then. */
  newConversation: conversationPatchSchema.optional(),
});
export type Draft = z.infer<typeof draftSchema>;

/** What a prompt would fill, and what of it would not have to be computed if it were sent now. */
export const promptSizeSchema = z.object({
  promptTokens: z.int(),
  /** What the context could have: it grows where it is too small. */
  contextTokens: z.int(),
  /** There is room for an answer too; without, the prompt is refused. */
  isFitting: z.boolean(),
  /** How many of its first tokens are in place, and how many can be restored. */
  residentTokens: z.int(),
  storedTokens: z.int(),
  /** What computing the rest takes, as measured on this machine; `null` where nothing was measured yet. */
  computeMs: z.number().nullable(),
});
export type PromptSize = z.infer<typeof promptSizeSchema>;

export const draftSizeSchema = promptSizeSchema.extend({
  /**
   * What is sent in its place, where it does not fit and the conversation leaves out its oldest turns; `null` where
   * nothing is left out, or leaving out all that can be is not enough.
   */
  shortened: promptSizeSchema
    .extend({
      droppedMessages: z.int(),
      /** It begins where the last answer's prompt began. */
      isSameCut: z.boolean(),
    })
    .nullable(),
});
export type DraftSize = z.infer<typeof draftSizeSchema>;
