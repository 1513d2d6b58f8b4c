/**
 * How often two levels of a model would go on with the same token, at every place of the answers of a conversation:
 * both read the answers as they were written (teacher-forced), and each says which token it finds likeliest next.
 */
import { z } from "zod";

const count = z.int().min(0);
const share = z.number().min(0).max(1);

const agreementFiguresSchema = z.object({
  /** Places that both were asked about, and how many of them both say the same of. */
  tokens: count,
  agreeing: count,
  /** `agreeing` of `tokens`; `null` where there are none. */
  share: share.nullable(),
  /** Wilson's 95 % interval of the share, as if places were independent of each other. */
  low: share,
  high: share,
});
export type AgreementFigures = z.infer<typeof agreementFiguresSchema>;

export const agreementSchema = z.object({
  conversationId: z.string(),
  modelId: z.string(),
  /** The level it is compared with. */
  referenceId: z.string(),
  total: agreementFiguresSchema,
  /** The answers that both were asked about, in their order. */
  answers: z.array(z.object({ messageId: z.string(), figures: agreementFiguresSchema })),
  /** How many answers the conversation has on its active path. */
  allAnswers: count,
});
export type Agreement = z.infer<typeof agreementSchema>;

export const agreementInputSchema = z.object({
  conversationId: z.string(),
  modelId: z.string(),
  referenceId: z.string(),
});
export type AgreementInput = z.infer<typeof agreementInputSchema>;

/** `result` is the last event. */
export const agreementEventSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("progress"),
    /** The level that is being asked. */
    modelId: z.string(),
    /** `waiting`: for answers, which go first. */
    phase: z.enum(["waiting", "loading", "reading"]),
    /** Of the conversation, by this level; 0 of 0 before it begins. */
    doneTokens: count,
    totalTokens: count,
    /** Levels that are still to be asked after this one. */
    levelsLeft: count,
  }),
  z.object({ type: z.literal("result"), agreement: agreementSchema }),
]);
export type AgreementEvent = z.infer<typeof agreementEventSchema>;
