/** Everything a window, a browser tab or the command line can ask of a running Reprise. */
import { type ContractRouterClient, eventIterator, oc } from "@orpc/contract";
import { z } from "zod";
import { agreementEventSchema, agreementInputSchema, agreementSchema } from "./agreement.ts";
import { appStatusSchema } from "./app-status.ts";
import { cacheStateSchema, selfTestResultSchema, verifyResultSchema } from "./cache.ts";
import { comparisonEventSchema, comparisonInputSchema, keptAnswerSchema } from "./comparison.ts";
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
import {
  arrivedModelSchema,
  catalogueEntrySchema,
  hubFilesSchema,
  modelDownloadSchema,
  modelRequestSchema,
} from "./hub.ts";
import { memoryPlanSchema, modelCheckSchema, modelDetailsSchema, planInputSchema } from "./memory-plan.ts";
import { modelFileSchema } from "./model.ts";
import { quantizationLevelsSchema } from "./quantization-levels.ts";
import {
  quantizationPlanInputSchema,
  quantizationPlanSchema,
  quantizationSchema,
  quantizeInputSchema,
} from "./quantization.ts";
import { proposalsSchema } from "./proposals.ts";
import { familyCardSchema, familyUpdateSchema, fileUpdateSchema } from "./model-library.ts";
import { familySettingsSchema, loadOptionsSchema } from "./model-settings.ts";
import { modelSpeedSchema, modelSwitchSchema, switchCostSchema } from "./model-switch.ts";
import { promptPreviewInputSchema, promptPreviewSchema } from "./prompt-preview.ts";
import { settingsPatchSchema, settingsSchema } from "./settings.ts";

const procedure = oc.errors(contractErrors);
const downloadId = z.object({ downloadId: z.string() });
const conversationId = z.object({ conversationId: z.string() });
const switchInputSchema = conversationId.extend({ modelId: z.string() });
const comparisonId = z.object({ comparisonId: z.string() });
const modelPath = z.object({ path: z.string().min(1) });

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
  models: {
    list: procedure.output(z.array(modelFileSchema)),
    watch: procedure.output(eventIterator(z.array(modelFileSchema))),
    /** Adds a GGUF file where it lies. */
    add: procedure.input(modelPath).output(modelFileSchema),
    /** One card for all levels of a model, by name. */
    families: procedure.output(eventIterator(z.array(familyCardSchema))),
    /** What goes for all levels of a model. Throws NOT_FOUND for a family no file belongs to. */
    updateFamily: procedure.input(familyUpdateSchema).output(familySettingsSchema),
    /**
     * Shows what the model is given, exactly: text and tokens. Computes nothing and loads no weights. A template that
     * fails is no error but the result. Throws NOT_FOUND, MODEL_MISSING, MODEL_INVALID, MODEL_QUARANTINED.
     */
    previewPrompt: procedure.input(promptPreviewInputSchema).output(promptPreviewSchema),
    /** How one file is loaded the next time. Throws NOT_FOUND. */
    updateFile: procedure.input(fileUpdateSchema).output(loadOptionsSchema),
    /**
     * Takes a file that was added off the list; the file stays, unless `deletesFile`, which a file of the models folder
     * is removed with only. Throws NOT_FOUND, INVALID_INPUT for another program's file and for one of the models folder
     * that is not to be deleted, STORAGE_FAILED where it cannot be deleted.
     */
    remove: procedure.input(z.object({ modelId: z.string(), deletesFile: z.boolean().optional() })),
    /**
     * Loads a model now instead of with the next message. `retry`: also one that brought the engine down before, which
     * throws MODEL_QUARANTINED otherwise.
     */
    load: procedure.input(z.object({ modelId: z.string(), retry: z.boolean().optional() })),
    /**
     * Measures how fast a model computes on this machine, for which it is loaded, as `switchModel` would. Waits for answers
     * and begins again where one came between; the model that was loaded before is loaded again after it. Returns what is
     * known where it was measured already and undisturbed. Throws what loading throws; aborting the call ends it.
     */
    measure: procedure.input(z.object({ modelId: z.string() })).output(modelSpeedSchema),
    /**
     * How often a level would go on as another one of the same model does, on the conversation's own answers. Loads and
     * asks both in the background, behind all answers, what was not asked before; then the conversation's own model is
     * loaded again. Aborting the call ends it and keeps what was said. Throws NOT_FOUND, INVALID_INPUT for levels of
     * different models, and what loading throws.
     */
    agreement: procedure.input(agreementInputSchema).output(eventIterator(agreementEventSchema)),
    /** What is known of it, of all levels of the reference's model. Asks nobody. Throws NOT_FOUND, MODEL_MISSING. */
    knownAgreements: procedure.input(agreementInputSchema.omit({ modelId: true })).output(z.array(agreementSchema)),
    /**
     * One prompt to two models: the conversation as it is, and a message that is not sent. Nothing of it is stored, and
     * the conversation stays in place. Ends when both have answered; aborting the call ends both. Throws NOT_FOUND,
     * ALREADY_GENERATING, INVALID_INPUT for one model twice, and what loading throws.
     */
    compare: procedure.input(comparisonInputSchema).output(eventIterator(comparisonEventSchema)),
    /** Ends both answers, which keep their texts. A comparison that is over is no error. */
    stopComparison: procedure.input(comparisonId),
    /**
     * Makes the message and one side's answer part of the conversation, where it was when it was asked. Throws NOT_FOUND
     * for a comparison of long ago, ALREADY_GENERATING, INVALID_INPUT where that side has not ended with a text.
     */
    keepCompared: procedure.input(comparisonId.extend({ side: z.int().min(0).max(1) })).output(keptAnswerSchema),
    /** What any GGUF file says of itself; it need not be on the list. */
    inspect: procedure.input(modelPath).output(modelDetailsSchema),
    /** Everything that is wrong with a file, as far as its header and vocabulary tell. Throws MODEL_MISSING. */
    check: procedure.input(modelPath).output(modelCheckSchema),
    /** Memory a model takes with a context, and what fits. Forbids nothing. Throws MODEL_MISSING, MODEL_INVALID, OPTIONS_REFUSED. */
    plan: procedure.input(planInputSchema).output(memoryPlanSchema),
    /** Fetches the default model where it is missing; progress is in the status. Returns when it is there. */
    fetchDefault: procedure,
    cancelFetch: procedure,
    /** The models that are recommended. Asks nobody. */
    catalogue: procedure.output(z.array(catalogueEntrySchema)),
    /** What the catalogue's models would be on this machine, and the two or three that suit it. Asks nobody. */
    proposals: procedure.output(proposalsSchema),
    /** Asks the hub what a repository has. `name`: an id of the catalogue, or `owner/name`. Throws INVALID_INPUT, HUB_FAILED. */
    hubFiles: procedure
      .input(z.object({ name: z.string().min(1), revision: z.string().optional() }))
      .output(hubFilesSchema),
    /** Asks the hub, and queues the model; one that was begun before goes on. Throws INVALID_INPUT, HUB_FAILED. */
    get: procedure.input(modelRequestSchema).output(modelDownloadSchema),
    /** All that are on their way, now and whenever it changed. One that has arrived is on the list of models instead. */
    downloads: procedure.output(eventIterator(z.array(modelDownloadSchema))),
    /** Returns when the model has arrived, however long it waits or is paused. Throws why it failed; NOT_FOUND when it was cancelled. */
    awaitDownload: procedure.input(downloadId).output(arrivedModelSchema),
    /** Returns when nothing is fetched of it any more; what has arrived is kept. */
    pauseDownload: procedure.input(downloadId).output(modelDownloadSchema),
    /** Goes on with one that is paused or failed, when it is its turn. */
    resumeDownload: procedure.input(downloadId).output(modelDownloadSchema),
    /** Forgets it, and removes what has arrived of it. */
    cancelDownload: procedure.input(downloadId),
    /** The levels that can be made, from the finest to the coarsest. */
    levels: procedure.output(quantizationLevelsSchema),
    /** What a quantization would take, without making it. Throws MODEL_MISSING, MODEL_INVALID, INVALID_INPUT, QUANTIZE_FAILED. */
    planQuantization: procedure.input(quantizationPlanInputSchema).output(quantizationPlanSchema),
    /**
     * Begins to make a quantization in the background, after those asked for before; it is on the list of models when it
     * is done. Throws, before it begins, what planning throws, IMATRIX_NEEDED, REQUANTIZE_LOSSY where `allowRequantize`
     * is not set, FILE_EXISTS where `overwrite` is not, and STORAGE_FAILED where there is no room.
     */
    quantize: procedure.input(quantizeInputSchema).output(quantizationSchema),
    /** All that were asked for since the app was opened, oldest first: now, and again whenever one changed. */
    quantizations: procedure.output(eventIterator(z.array(quantizationSchema))),
    /** Ends it and keeps nothing of it. Takes one that has ended off the list; its file stays. */
    cancelQuantization: procedure.input(z.object({ quantizationId: z.string() })),
  },
};

/** The app as a caller sees it, in this process or over a connection. */
export type AppClient = ContractRouterClient<typeof appContract>;
