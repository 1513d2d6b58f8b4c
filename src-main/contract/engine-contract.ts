/** What main asks of the engine child. Messages are typed; the transport is process messages. */
import { eventIterator, oc } from "@orpc/contract";
import { z } from "zod";
import { cacheStateSchema, selfTestResultSchema, storeSettingsSchema, verifyResultSchema } from "./cache.ts";
import { samplingSchema } from "./conversation.ts";
import { promptSizeSchema } from "./draft.ts";
import { contractErrors, errorViewSchema } from "./errors.ts";
import { memoryPlanSchema, modelCheckSchema, modelDetailsSchema, planInputSchema } from "./memory-plan.ts";
import { ggufSummarySchema, loadedModelSchema, templateInUseSchema, threadTuningSchema } from "./model.ts";
import { chatTemplateSchema, loadOptionsSchema } from "./model-settings.ts";
import { engineSwitchCostSchema, residentModelSchema } from "./model-switch.ts";
import { renderedPreviewSchema } from "./prompt-preview.ts";
import { turnReportSchema } from "./turn-report.ts";

const procedure = oc.errors(contractErrors);
const path = z.object({ path: z.string() });

/** One message of the prompt. `tokens`: what the engine produced for it, so that it is never tokenized again. */
const promptMessageSchema = z.object({
  role: z.enum(["system", "user", "assistant"]),
  content: z.string(),
  tokens: z.array(z.int()).nullable(),
});
export type PromptMessage = z.infer<typeof promptMessageSchema>;

/** A tool the model may ask for, in whatever form its chat template writes it: mostly a JSON schema of a function. */
const toolSchema = z.record(z.string(), z.json());
export type Tool = z.infer<typeof toolSchema>;

const conversationPromptSchema = z.object({
  /** Whose cells and blocks these are. */
  conversationId: z.string(),
  messages: z.array(promptMessageSchema).min(1),
});

const generateInputSchema = z.object({
  generationId: z.string(),
  conversationId: z.string(),
  /** `side`: a title or summary, after which the conversation in place comes back; it never evicts a chat. */
  kind: z.enum(["turn", "side"]),
  /** How many of the oldest messages main has left out for the prompt to fit. */
  droppedMessages: z.int().min(0),
  /** From the system prompt (if any) to the user's message that is to be answered. */
  messages: z.array(promptMessageSchema).min(1),
  /** What the template is to offer; a template that knows no tools leaves them out. Absent: none. */
  tools: z.array(toolSchema).optional(),
  sampling: samplingSchema,
});
export type GenerateInput = z.infer<typeof generateInputSchema>;

const engineEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("prefill"), doneTokens: z.int(), totalTokens: z.int() }),
  /** Whole characters only, at most one event per 50 ms. `tokens`: the ids decoded since the last delta. */
  z.object({ type: z.literal("delta"), text: z.string(), tokens: z.array(z.int()) }),
  /**
   * The last event, also of a stopped generation. `answerTokens`: the ids the whole answer's text consists of, without
   * the end-of-turn token; `null` where a stop string cut the text inside a token.
   */
  z.object({ type: z.literal("done"), answerTokens: z.array(z.int()).nullable(), report: turnReportSchema }),
]);
export type EngineEvent = z.infer<typeof engineEventSchema>;

const cacheOptionsSchema = z.object({
  /** Where kv.db lies. */
  cacheFolder: z.string(),
  store: storeSettingsSchema,
  /** Conversations whose blocks are evicted last. */
  pinned: z.array(z.string()),
});
export type CacheOptions = z.infer<typeof cacheOptionsSchema>;

const loadInputSchema = path.extend({
  /**
   * `contextTokens` is the most the context may have; `null`: what the model was trained for. It begins with at most
   * 8,192, or fewer where memory is short, and grows when a conversation needs more and memory allows it.
   */
  options: loadOptionsSchema,
  /** Threads measured before on this machine for this file; `null`: measure now. */
  tuning: threadTuningSchema.nullable(),
  /** In place of the file's own, which stays the fallback; `null` or absent: the file's own. */
  chatTemplate: chatTemplateSchema.nullable().optional(),
  ...cacheOptionsSchema.shape,
});
export type LoadInput = z.infer<typeof loadInputSchema>;

const previewInputSchema = path.extend({
  /** In place of the file's own; `null`: the file's own. */
  chatTemplate: chatTemplateSchema.nullable(),
  /** Where the template fails, that is the result; else the prompt is made with the one that takes its place. */
  isDraft: z.boolean(),
  messages: z.array(promptMessageSchema).min(1),
});
export type PreviewInput = z.infer<typeof previewInputSchema>;

const loadEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("progress"), fraction: z.number() }),
  /** `residents`: all that are in memory now, this one among them. */
  z.object({ type: z.literal("loaded"), model: loadedModelSchema, residents: z.array(residentModelSchema) }),
]);
export type LoadEvent = z.infer<typeof loadEventSchema>;

const compareInputSchema = conversationPromptSchema.extend({
  sampling: samplingSchema,
  /** One or two models that answer; the first is the active one from then on. */
  sides: z
    .array(z.object({ generationId: z.string(), load: loadInputSchema }))
    .min(1)
    .max(2),
});
export type CompareInput = z.infer<typeof compareInputSchema>;

const compareEventSchema = z.discriminatedUnion("type", [
  /** Of a model that was not in memory. */
  z.object({ type: z.literal("loading"), fraction: z.number() }),
  z.object({ type: z.literal("answer"), side: z.int(), event: engineEventSchema }),
  /** The last event of a side in place of `done`; the other one goes on. */
  z.object({ type: z.literal("failed"), side: z.int(), error: errorViewSchema }),
]);
export type CompareEvent = z.infer<typeof compareEventSchema>;

const predictInputSchema = conversationPromptSchema.extend({
  /** Places of the answers among the messages. */
  wanted: z.array(z.int().min(0)),
  /** What the prompts are made with, as for `load`; absent: what the model's are made with now. */
  chatTemplate: chatTemplateSchema.nullable().optional(),
});
export type PredictInput = z.infer<typeof predictInputSchema>;

const predictionEventSchema = z.discriminatedUnion("type", [
  /** Of the conversation up to the last answer that is wanted. */
  z.object({ type: z.literal("progress"), doneTokens: z.int(), totalTokens: z.int() }),
  /** For each token of the answer, the one the model finds likeliest there. */
  z.object({ type: z.literal("answer"), message: z.int(), tokens: z.array(z.int()) }),
  /** `other-tokens`: its ids are not known, or of another vocabulary. */
  z.object({ type: z.literal("left-out"), message: z.int(), reason: z.enum(["other-tokens", "too-long"]) }),
  /** The last event. `isInterrupted`: another model was loaded before all was read. */
  z.object({ type: z.literal("done"), isInterrupted: z.boolean() }),
]);
export type PredictionEvent = z.infer<typeof predictionEventSchema>;

/** The model need not be in memory. */
const switchInputSchema = conversationPromptSchema.extend({
  /** None: nothing was said yet. */
  messages: z.array(promptMessageSchema),
  path: z.string(),
  options: loadOptionsSchema,
  /** What was measured of it; `null`: nothing. */
  tuning: threadTuningSchema.nullable(),
  /** As it would be loaded with; absent: what a model in memory with the same vocabulary has now. */
  chatTemplate: chatTemplateSchema.nullable().optional(),
});
export type SwitchInput = z.infer<typeof switchInputSchema>;

const refillEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("progress"), doneTokens: z.int(), totalTokens: z.int() }),
  /** `isInterrupted`: an answer, or another load, came before it was done. What was computed is kept. */
  z.object({ type: z.literal("done"), tokens: z.int(), isInterrupted: z.boolean() }),
]);
export type RefillEvent = z.infer<typeof refillEventSchema>;

export const engineContract = {
  /** Answers at once while the process is alive and its event loop turns. */
  ping: procedure.output(z.object({ pid: z.int(), library: z.string(), release: z.string() })),
  /** Reads a file's header and checks that its tensors are all there. */
  inspect: procedure.input(path).output(ggufSummarySchema),
  /** What any GGUF file says of itself. Throws MODEL_MISSING, MODEL_INVALID for a file without a whole header. */
  details: procedure.input(path).output(modelDetailsSchema),
  /** Everything that is wrong with a file, as far as its header and vocabulary tell. Throws MODEL_MISSING. */
  check: procedure.input(path).output(modelCheckSchema),
  /** Memory a model would take; it need not be loaded. Throws MODEL_MISSING, MODEL_INVALID. */
  plan: procedure.input(planInputSchema).output(memoryPlanSchema),
  /**
   * Makes this model the active one, which all calls below mean that name none. One that is in memory, with the same
   * content and options, is active at once. Another one is loaded; those before it stay in memory where it fits beside
   * them, else make way, the one longest unused first. Waits for a running answer to end. Throws OPTIONS_REFUSED for
   * options that this model cannot be loaded with; after any failure no model is active.
   */
  load: procedure.input(loadInputSchema).output(eventIterator(loadEventSchema)),
  /** Frees all models. */
  unload: procedure,
  /** The models in memory, now and again when that changed, at most four times a second. */
  residents: procedure.output(eventIterator(z.array(residentModelSchema))),
  /**
   * What `load` and `refill` would take. Throws MODEL_MISSING, MODEL_INVALID, OPTIONS_REFUSED, TEMPLATE_FAILED, and
   * CONTEXT_FULL as `generate` does.
   */
  switchCost: procedure.input(switchInputSchema).output(engineSwitchCostSchema),
  /**
   * Puts a conversation in place under the active model, all of it up to where the next message begins: restores what
   * the store has, computes the rest in chunks that yield to answers, and stores it as an answer's. Aborting the call, or
   * a new one, ends it and keeps what it has computed. Throws CONTEXT_FULL as `generate` does.
   */
  refill: procedure.input(conversationPromptSchema).output(eventIterator(refillEventSchema)),
  generate: procedure.input(generateInputSchema).output(eventIterator(engineEventSchema)),
  /**
   * The same prompt to two models at once: both answer in one turn, by turns, as side prompts after which what was in
   * place is there again. Nothing of it is stored, and each can be stopped by its id. Throws what loading throws, and
   * ENGINE_FAILED (memory) where they do not fit beside each other.
   */
  compare: procedure.input(compareInputSchema).output(eventIterator(compareEventSchema)),
  /** Asks a generation to end between two tokens or prefill chunks; it then sends `done`. */
  stop: procedure.input(z.object({ generationId: z.string() })),
  measure: procedure.input(conversationPromptSchema).output(promptSizeSchema),
  /**
   * Puts a conversation in place before it is needed: restores what the store has. Computes nothing; yields to answers.
   * Returns how many of its tokens are in place, and whether it was ended before it was done by an answer or by another
   * warming. Throws CONTEXT_FULL as `generate` does.
   */
  warm: procedure.input(conversationPromptSchema).output(z.object({ tokens: z.int(), isInterrupted: z.boolean() })),
  /**
   * Computes the prompt up to the last word boundary of its last message, a draft being typed, in chunks that yield to
   * answers. A new call for the same conversation, or aborting the call, ends it and keeps what it has computed.
   * Nothing of it is stored. Throws CONTEXT_FULL as `generate` does.
   */
  prepare: procedure.input(conversationPromptSchema).output(z.object({ tokens: z.int() })),
  templates: {
    /** Sets what the loaded model's prompts are made with from now on; nothing is loaded again. Throws MODEL_MISSING without a model. */
    use: procedure.input(z.object({ chatTemplate: chatTemplateSchema.nullable() })).output(templateInUseSchema),
    /** Makes a prompt and shows it. The model need not be loaded, then only its vocabulary is. Throws MODEL_MISSING, MODEL_INVALID. */
    preview: procedure.input(previewInputSchema).output(renderedPreviewSchema),
  },
  /**
   * Reads answers along, each behind the prompt it answered, and says what the model finds likeliest at each of their
   * tokens. In a context of its own and in chunks that yield to answers: nothing in place is touched, nothing stored.
   * Throws MODEL_MISSING, TEMPLATE_FAILED, ENGINE_FAILED (memory).
   */
  predict: procedure.input(predictInputSchema).output(eventIterator(predictionEventSchema)),
  cache: {
    /**
     * Opens kv.db with no model loaded, so that all of `cache` but `selfTest` works without one. `load` does the same.
     * Opened already: what is different is applied, and nothing is read again.
     */
    open: procedure.input(cacheOptionsSchema),
    /** The state now, and again when it changed, at most four times a second. Goes on through loads and unloads. */
    watch: procedure.output(eventIterator(cacheStateSchema)),
    configure: procedure.input(storeSettingsSchema),
    pin: procedure.input(z.object({ conversationIds: z.array(z.string()) })),
    clear: procedure,
    verify: procedure.output(verifyResultSchema),
    selfTest: procedure.input(conversationPromptSchema).output(selfTestResultSchema),
    /** Those of which anything is kept beside what is in memory: blocks, what was asked, or why blocks are gone. */
    conversations: procedure.output(z.array(z.string())),
    /** A deleted conversation: what only it made goes with it. */
    forget: procedure.input(z.object({ conversationId: z.string() })),
  },
  /** Frees everything and exits. */
  shutdown: procedure,
};
