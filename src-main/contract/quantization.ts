/** Making a quantization of a model: what can be asked for, and what becomes of it. */
import { z } from "zod";
import { errorViewSchema } from "./errors.ts";

const bytes = z.number().min(0);

const quantizationTargetSchema = z.object({
  /** A model of the list, or a file anywhere. */
  source: z.union([z.object({ modelId: z.string() }), z.object({ path: z.string().min(1) })]),
  /** Name of a level, in any case. */
  level: z.string(),
  /** An importance matrix, as GGUF or in llama.cpp's older format. */
  imatrixPath: z.string().min(1).nullable().optional(),
  /** Absolute; absent or `null`: beside the source, or in the models folder where that cannot be written to. */
  outputPath: z.string().min(1).nullable().optional(),
});
export type QuantizationTarget = z.infer<typeof quantizationTargetSchema>;
export const quantizationPlanInputSchema = quantizationTargetSchema;

export const quantizationPlanSchema = z.object({
  sourcePath: z.string(),
  level: z.string(),
  sourceBytes: bytes,
  /** What the file will have, to the byte. */
  predictedBytes: bytes,
  /** On the disk it goes to. */
  freeBytes: bytes,
  /** It cannot be made without an importance matrix, and none was given. */
  needsImatrix: z.boolean(),
  /** Weights that already lost precision would lose more: it is only made with `allowRequantize`. */
  isLossySource: z.boolean(),
  outputPath: z.string(),
  /** There is a file there already: it is only replaced with `overwrite`. */
  outputExists: z.boolean(),
});
export type QuantizationPlan = z.infer<typeof quantizationPlanSchema>;

export const quantizeInputSchema = quantizationTargetSchema.extend({
  allowRequantize: z.boolean().optional(),
  overwrite: z.boolean().optional(),
  /** Absent or `null`: one less than the machine has. */
  threads: z.int().min(1).max(512).nullable().optional(),
});
export type QuantizeInput = z.infer<typeof quantizeInputSchema>;

/** One file being made, waiting for its turn, or ended. */
export const quantizationSchema = z.object({
  id: z.string(),
  sourcePath: z.string(),
  level: z.string(),
  /** Where the file is or will be. */
  path: z.string(),
  state: z.enum(["waiting", "running", "done", "failed", "cancelled"]),
  /** 0 to 1, by bytes written. */
  fraction: z.number(),
  /** At the rate so far; `null` until there is one. */
  secondsLeft: z.number().nullable(),
  predictedBytes: bytes,
  /** Of the whole file; `null` until it is done. */
  bytes: bytes.nullable(),
  /** Why it failed. */
  error: errorViewSchema.nullable(),
});
export type Quantization = z.infer<typeof quantizationSchema>;
