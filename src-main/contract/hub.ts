/** Models of the model hub: those recommended, what a repository has, and what is on its way here. */
import { z } from "zod";
import { errorViewSchema } from "./errors.ts";

/** A model that is recommended. It names a repository; its files, sizes and checksums are asked of the hub. */
export const catalogueEntrySchema = z.object({
  /** Short enough to be typed: `qwen3-4b`. */
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
  name: z.string().min(1),
  family: z.string().min(1),
  /** `owner/name` on the hub. */
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  /** How many there are: 4e9 of a model called 4B. */
  parameters: z.number().positive(),
  /** Of them used for one token, where that is not all: a mixture of experts computes as fast as its active part. */
  activeParameters: z.number().positive().optional(),
  license: z.object({ /** SPDX identifier, or the name of its own licence. */ name: z.string().min(1), url: z.url() }),
  /** One sentence in each language of the app: for whom, or for what. */
  forWhom: z.object({ en: z.string().min(1), de: z.string().min(1) }),
});
export type CatalogueEntry = z.infer<typeof catalogueEntrySchema>;

const hubFileSchema = z.object({
  /** Below the repository's root, with slashes. */
  path: z.string(),
  sizeBytes: z.number(),
  /** Lower-case hexadecimal. */
  sha256: z.string(),
});
export type HubFile = z.infer<typeof hubFileSchema>;

/** Of one model, in the order of the parts. */
export const modelFilesSchema = z.tuple([hubFileSchema], hubFileSchema);

/** One model of a repository: one file, or all parts of one that is split. */
const hubLevelSchema = z.object({
  /** What to ask for, unique in the repository: the quantization, or the file's name where that says more or nothing. */
  name: z.string(),
  /** As its file's name says: `Q4_K_M`. The file itself may know better once it is here. */
  quantization: z.string().nullable(),
  /** Of all files together. */
  sizeBytes: z.number(),
  files: modelFilesSchema,
});
export type HubLevel = z.infer<typeof hubLevelSchema>;

/** What goes with a model but is none by itself, recognised by name. */
const hubExtraSchema = hubFileSchema.extend({ kind: z.enum(["adapter", "projector", "importance-matrix"]) });
export type HubExtra = z.infer<typeof hubExtraSchema>;

export const hubFilesSchema = z.object({
  /** As the hub spells it. */
  repository: z.string(),
  /** The commit that all of this is of. */
  revision: z.string(),
  /** From small to large. */
  levels: z.array(hubLevelSchema).min(1),
  /** Name of the level that fits most machines: Q4_K_M, else the nearest there is. */
  suggestedLevel: z.string(),
  others: z.array(hubExtraSchema),
});
export type HubFiles = z.infer<typeof hubFilesSchema>;

/** A model that was asked for and is not whole yet. Those that have arrived are on the list of models instead. */
export const modelDownloadSchema = z.object({
  id: z.string(),
  repository: z.string(),
  revision: z.string(),
  level: z.string(),
  /** Where it will lie; of the first part of a split model. */
  path: z.string(),
  /** One is running at a time. `failed` keeps what has arrived, and goes on when it is resumed. */
  state: z.enum(["queued", "running", "paused", "verifying", "failed"]),
  doneBytes: z.number(),
  totalBytes: z.number(),
  /** Measured over the last seconds; `null` while nothing moves. */
  bytesPerSecond: z.number().nullable(),
  secondsLeft: z.number().nullable(),
  /** Why it failed; `null` in every other state. */
  error: errorViewSchema.nullable(),
});
export type ModelDownload = z.infer<typeof modelDownloadSchema>;

/** A model that has arrived whole and was verified. */
export const arrivedModelSchema = z.object({
  /** Of the first part, where the model is split. */
  path: z.string(),
  /** Of all parts together. */
  bytes: z.number(),
  /** Of the file at `path`. */
  sha256: z.string(),
  repository: z.string(),
  revision: z.string(),
  level: z.string(),
});
export type ArrivedModel = z.infer<typeof arrivedModelSchema>;

export const modelRequestSchema = z.object({
  /** `owner/name`, or an id of the catalogue. */
  repository: z.string().min(1),
  /** A commit; the newest where absent. */
  revision: z.string().optional(),
  /** A level's name; the suggested one where neither is given. */
  level: z.string().optional(),
  /** Or the path of one of its files. */
  file: z.string().optional(),
});
export type ModelRequest = z.infer<typeof modelRequestSchema>;
