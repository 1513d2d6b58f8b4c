/** What can be asked of the models: the library, what they take, the hub, other levels, two of them side by side. */
import { eventIterator, oc } from "@orpc/contract";
import { z } from "zod";
import { agreementEventSchema, agreementInputSchema, agreementSchema } from "./agreement.ts";
import { comparisonEventSchema, comparisonInputSchema, keptAnswerSchema } from "./comparison.ts";
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
import { modelSpeedSchema } from "./model-switch.ts";
import { promptPreviewInputSchema, promptPreviewSchema } from "./prompt-preview.ts";

const procedure = oc.errors(contractErrors);
const downloadId = z.object({ downloadId: z.string() });
const comparisonId = z.object({ comparisonId: z.string() });
const modelPath = z.object({ path: z.string().min(1) });

export const modelsContract = {
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
};
