/** Everything a window, a browser tab or the command line can ask of a running Reprise. */
import { type ContractRouterClient, eventIterator, oc } from "@orpc/contract";
import { z } from "zod";
import { appStatusSchema } from "./app-status.ts";
import { cacheStateSchema, selfTestResultSchema, verifyResultSchema } from "./cache.ts";
import {
  conversationPatchSchema,
  conversationSchema,
  conversationSummarySchema,
  messageSchema,
  newConversationSchema,
  searchHitSchema,
  threadSchema,
} from "./conversation.ts";
import { draftSchema, draftSizeSchema } from "./draft.ts";
import { contractErrors } from "./errors.ts";
import { modelSwitchSchema, switchCostSchema } from "./model-switch.ts";
import { settingsPatchSchema, settingsSchema } from "./settings.ts";
import { modelsContract } from "./models-contract.ts";

const procedure = oc.errors(contractErrors);
const conversationId = z.object({ conversationId: z.string() });
const switchInputSchema = conversationId.extend({ modelId: z.string() });

/** The answer being written now. */
const generationSchema = z.object({
  generationId: z.string(),
  messageId: z.string(),
  phase: z.discriminatedUnion("name", [
    z.object({ name: z.literal("queued") }),
    z.object({ name: z.literal("prefill"), doneTokens: z.int(), totalTokens: z.int() }),
    z.object({ name: z.literal("decode") }),
  ]),
});
export type Generation = z.infer<typeof generationSchema>;

/** The first event of a watch is always `thread`; `seq` counts up by one, so that a reader notices a gap. */
const chatEventSchema = z.discriminatedUnion("type", [
  /** The whole thread: at the start, when a branch was chosen, and for a reader that fell behind. */
  z.object({
    type: z.literal("thread"),
    seq: z.int(),
    thread: threadSchema,
    generation: generationSchema.nullable(),
    switching: modelSwitchSchema.nullable(),
  }),
  /**
   * An answer begins: behind `afterMessageId` (`null`: from the first message on) the active path is `messages` now, and
   * as it was up to there. A reader that does not know `afterMessageId` is on another path, and watches anew.
   */
  z.object({
    type: z.literal("path"),
    seq: z.int(),
    conversation: conversationSchema,
    afterMessageId: z.string().nullable(),
    messages: z.array(messageSchema),
    generation: generationSchema,
  }),
  /** The prompt is being read. */
  z.object({ type: z.literal("phase"), seq: z.int(), generation: generationSchema }),
  /** More of the answer's text. The first one also says that the prompt was read: the phase is `decode` from here on. */
  z.object({
    type: z.literal("delta"),
    seq: z.int(),
    generationId: z.string(),
    messageId: z.string(),
    text: z.string(),
  }),
  z.object({ type: z.literal("finished"), seq: z.int(), generationId: z.string(), message: messageSchema }),
  z.object({ type: z.literal("conversation"), seq: z.int(), conversation: conversationSchema }),
  /** How far putting it in place under another model is; `null`: it is over. */
  z.object({ type: z.literal("switching"), seq: z.int(), switching: modelSwitchSchema.nullable() }),
  z.object({ type: z.literal("deleted"), seq: z.int() }),
]);
export type ChatEvent = z.infer<typeof chatEventSchema>;

const conversationListEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("all"), conversations: z.array(conversationSummarySchema) }),
  z.object({ type: z.literal("changed"), conversation: conversationSummarySchema }),
  z.object({ type: z.literal("deleted"), conversationId: z.string() }),
]);
export type ConversationListEvent = z.infer<typeof conversationListEventSchema>;

const sentSchema = z.object({
  conversationId: z.string(),
  /** The user's message that is answered. */
  userMessageId: z.string(),
  /** The answer being written. */
  messageId: z.string(),
  generationId: z.string(),
});
export type Sent = z.infer<typeof sentSchema>;

export const appContract = {
  status: {
    get: procedure.output(appStatusSchema),
    /** The status now, and again whenever it changes. */
    watch: procedure.output(eventIterator(appStatusSchema)),
    dismissNotice: procedure.input(z.object({ noticeId: z.string() })),
  },
  settings: {
    get: procedure.output(settingsSchema),
    update: procedure.input(settingsPatchSchema).output(settingsSchema),
    watch: procedure.output(eventIterator(settingsSchema)),
  },
  conversations: {
    /** All of them, most recently used first. */
    list: procedure.output(z.array(conversationSummarySchema)),
    watch: procedure.output(eventIterator(conversationListEventSchema)),
    /** Conversations with all words (or word beginnings) in the title or a message: titles first, then the best match. */
    search: procedure.input(z.object({ text: z.string().max(1_000) })).output(z.array(searchHitSchema)),
    /** It begins with what is set for its model's family, where nothing else is given. */
    create: procedure.input(newConversationSchema).output(conversationSchema),
    get: procedure.input(conversationId).output(threadSchema),
    /** What a new conversation has where nothing is chosen for it; `null`: with the model of the settings. */
    beginning: procedure
      .input(z.object({ modelId: z.string().nullable() }))
      .output(conversationSchema.pick({ systemPrompt: true, sampling: true })),
    /** Before it has begun, another model also brings what its family begins with, but for what was chosen otherwise. */
    update: procedure.input(conversationId.extend({ patch: conversationPatchSchema })).output(conversationSchema),
    delete: procedure.input(conversationId),
    /** Makes the newest path through `messageId` the active one. */
    selectBranch: procedure.input(conversationId.extend({ messageId: z.string() })).output(threadSchema),
  },
  chat: {
    /**
     * Commits the message, then starts the answer. `parentId` absent: at the end of the active path;
     * given: beside the message it replaces (`null`: as a first message).
     */
    send: procedure
      .input(conversationId.extend({ text: z.string().min(1), parentId: z.string().nullable().optional() }))
      .output(sentSchema),
    /** Another answer to the same user message, as a sibling of `messageId`. */
    regenerate: procedure.input(z.object({ messageId: z.string() })).output(sentSchema),
    /** Ends the answer and keeps its text. Returns when it has ended; a generation that is over already is no error. */
    stop: procedure.input(z.object({ generationId: z.string() })),
    watch: procedure.input(conversationId).output(eventIterator(chatEventSchema)),
    /**
     * Puts a conversation that was opened in place. Nobody need wait: it ends when that is done, or cannot be done now
     * without interrupting an answer, or another conversation was opened. `isInterrupted`: an answer was in the way or
     * came between, so that asking again when it has ended would help. Throws NOT_FOUND only.
     */
    warm: procedure.input(conversationId).output(z.object({ isInterrupted: z.boolean() })),
    /**
     * Computes a draft that is being typed ahead of its being sent, where the settings allow it and its model is loaded.
     * Ends when that is done, or with the next call for the conversation, or when something was sent. Throws NOT_FOUND only.
     */
    prepare: procedure.input(draftSchema),
    /** What sending this text would fill, of what the context could have. Needs a loaded model; `null` without one. */
    measure: procedure.input(draftSchema).output(draftSizeSchema.nullable()),
    /**
     * What `switchModel` would take, as things are now. Starts the engine where none runs. Throws NOT_FOUND,
     * MODEL_MISSING, MODEL_INVALID, MODEL_QUARANTINED, OPTIONS_REFUSED, TEMPLATE_FAILED, CONTEXT_FULL.
     */
    switchCost: procedure.input(switchInputSchema).output(switchCostSchema),
    /**
     * The conversation's answers are this model's from now on; one that is being written goes on as it began. Returns at
     * once; in the background the model is loaded and the conversation put in place under it, after the answers that are
     * being written, and `watch` tells how far that is. The next message needs not wait for it: it goes on from there.
     * Opening another conversation ends it. Throws NOT_FOUND.
     */
    switchModel: procedure.input(switchInputSchema).output(conversationSchema),
    /** Ends what `switchModel` does in the background; what was computed is kept, and the choice too. */
    cancelSwitch: procedure.input(conversationId),
  },
  cache: {
    /** The state now. Starts the engine where none runs (but loads no model), since only it knows what is stored. */
    get: procedure.output(cacheStateSchema),
    /** The state now, and again when it changed. While no engine runs nothing is in place, and the store's figures are those last seen. */
    watch: procedure.output(eventIterator(cacheStateSchema)),
    /** Removes every stored block. No conversation is lost, only time. */
    clear: procedure,
    verify: procedure.output(verifyResultSchema),
    /** Needs the conversation's model loaded; loads it. */
    selfTest: procedure.input(conversationId).output(selfTestResultSchema),
  },
  models: modelsContract,
};

/** The app as a caller sees it, in this process or over a connection. */
export type AppClient = ContractRouterClient<typeof appContract>;
