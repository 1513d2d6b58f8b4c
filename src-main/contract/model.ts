import { z } from "zod";
import { errorViewSchema } from "./errors.ts";
import { loadOptionsSchema } from "./model-settings.ts";

/** What a GGUF file is for. `part`: of a model in several files, and not the first; `vocabulary`: a tokenizer alone. */
export const ggufKindSchema = z.enum([
  "model",
  "part",
  "adapter",
  "projector",
  "importance-matrix",
  "vocabulary",
  "other",
]);
export type GgufKind = z.infer<typeof ggufKindSchema>;

/** What a GGUF file says of itself, read without loading its tensors. */
export const ggufSummarySchema = z.object({
  name: z.string(),
  architecture: z.string(),
  /** Quantization level as the field writes it (`Q4_K_M`), or `null` where the file does not say. */
  quantization: z.string().nullable(),
  trainedContextTokens: z.int().nullable(),
  layers: z.int().nullable(),
  /** As the file writes it (`apache-2.0`); absent where it does not say. */
  licence: z.string().optional(),
  /** Of all its files. */
  sizeBytes: z.number(),
  /** How many files it lies in; absent for one. */
  parts: z.int().optional(),
});
export type GgufSummary = z.infer<typeof ggufSummarySchema>;

/** What a file is for. Adapters and the picture readers of models go with a model and cannot be used by themselves. */
export const modelKindSchema = z.enum(["model", "adapter", "projector"]);
export type ModelKind = z.infer<typeof modelKindSchema>;

/** Whose file it is: of the models folder, added where it lies, another program's, or of a folder the user has watched. */
export const modelSourceSchema = z.enum(["own", "added", "lm-studio", "jan", "ollama", "hub-cache", "watched"]);
export type ModelSource = z.infer<typeof modelSourceSchema>;

/**
 * A file Reprise knows. `problem` says why it cannot be used; such a file stays listed, and so do adapters and picture
 * readers, whose problem is that they are no model.
 */
export const modelFileSchema = z.object({
  id: z.string(),
  path: z.string(),
  /** The name a person reads: from the metadata, else the file name. */
  name: z.string(),
  /** Of all files of a model in several. */
  sizeBytes: z.number(),
  isDefault: z.boolean(),
  kind: modelKindSchema,
  /** The same for all levels of one model; `null` while it is not known, and for what is no model. */
  familyId: z.string().nullable(),
  source: modelSourceSchema,
  /** Another program's: Reprise never changes or deletes it. */
  isReadOnly: z.boolean(),
  /** Of the file, of the first one where there are several; `null` until it is computed. */
  sha256: z.string().nullable(),
  /** Where the very same file lies too, with the ids it has there. */
  copies: z.array(z.object({ modelId: z.string(), path: z.string(), source: modelSourceSchema })),
  summary: ggufSummarySchema.nullable(),
  problem: errorViewSchema.nullable(),
  loadOptions: loadOptionsSchema,
});
export type ModelFile = z.infer<typeof modelFileSchema>;

/** Threads for each phase, and the measurements they were chosen from. */
export const threadTuningSchema = z.object({
  prefill: z.int().min(1),
  decode: z.int().min(1),
  measured: z.array(
    z.object({ threads: z.int(), prefillTokensPerSecond: z.number(), decodeTokensPerSecond: z.number() }),
  ),
  /** Other programs kept the processor busy meanwhile: good for now, to be measured again at the next load. */
  underLoad: z.literal(true).optional(),
});
export type ThreadTuning = z.infer<typeof threadTuningSchema>;

/** Why a chat template is not used. `override`: the one set for its family; `model`: the one in its file. */
const templateProblemSchema = z.object({
  from: z.enum(["override", "model"]),
  /** A clause that fits after a colon. */
  reason: z.string(),
  /** Of its source, counted from 1; `null` where it has no place. */
  line: z.int().nullable(),
});
export type TemplateProblem = z.infer<typeof templateProblemSchema>;

export const templateInUseSchema = z.object({
  /** Where the chat template came from: set for the family, the file's own, or a fallback because none works. */
  template: z.enum(["override", "model", "fallback"]),
  /** A sentence: why it is not the one that was set, or not the file's own, and which it is instead; else `null`, or absent. */
  templateReason: z.string().nullable().optional(),
  /** What that sentence was made of. */
  templateProblems: z.array(templateProblemSchema).optional(),
  /** The name of the fallback. */
  templateFormat: z.string().nullable().optional(),
});
export type TemplateInUse = z.infer<typeof templateInUseSchema>;

export const loadedModelSchema = z.object({
  path: z.string(),
  summary: ggufSummarySchema,
  /** As it is now; it grows with what a conversation needs. */
  contextTokens: z.int(),
  flashAttention: z.boolean(),
  tuning: threadTuningSchema,
  loadMs: z.number(),
  /** What was asked for and could not be had; it was loaded all the same. `not-locked`: the weights are not held in memory. */
  warnings: z.array(z.enum(["not-locked"])).optional(),
  ...templateInUseSchema.shape,
});
export type LoadedModel = z.infer<typeof loadedModelSchema>;
