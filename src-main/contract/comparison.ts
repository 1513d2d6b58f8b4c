/** One prompt, answered by two models side by side. */
import { z } from "zod";
import { draftSchema } from "./draft.ts";
import { errorViewSchema } from "./errors.ts";
import { turnReportSchema } from "./turn-report.ts";

const side = z.int().min(0).max(1);

/** `text`: what is asked, behind the conversation as it is. */
export const comparisonInputSchema = draftSchema.extend({
  text: z.string().min(1),
  modelIds: z.tuple([z.string(), z.string()]),
});
export type ComparisonInput = z.infer<typeof comparisonInputSchema>;

export const comparisonEventSchema = z.discriminatedUnion("type", [
  /** The first event: by this id it is stopped, and one of its answers kept. */
  z.object({ type: z.literal("began"), comparisonId: z.string() }),
  /** Both in memory answer together; where they do not fit beside each other, one after the other. */
  z.object({ type: z.literal("plan"), isTogether: z.boolean() }),
  z.object({ type: z.literal("loading"), side }),
  z.object({ type: z.literal("prefill"), side, doneTokens: z.int(), totalTokens: z.int() }),
  z.object({ type: z.literal("delta"), side, text: z.string() }),
  /** What was measured while the other one was writing too is told as it was. */
  z.object({ type: z.literal("finished"), side, report: turnReportSchema }),
  z.object({ type: z.literal("failed"), side, error: errorViewSchema }),
]);
export type ComparisonEvent = z.infer<typeof comparisonEventSchema>;

/** An answer of a comparison that is one of the conversation now. */
export const keptAnswerSchema = z.object({
  conversationId: z.string(),
  userMessageId: z.string(),
  messageId: z.string(),
});
export type KeptAnswer = z.infer<typeof keptAnswerSchema>;
