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
