/** What main and the quantizer child say to each other. A child does one thing, answers it and ends. */
import { z } from "zod";
import { errorViewSchema } from "./errors.ts";

const workSchema = z.object({
  sourcePath: z.string(),
  /** llama.cpp's number of the level. */
  fileType: z.int(),
  imatrixPath: z.string().nullable(),
});

export const quantizerRequestSchema = z.discriminatedUnion("task", [
  workSchema.extend({ task: z.literal("plan") }),
  workSchema.extend({
    task: z.literal("quantize"),
    /** Written in place and not renamed: main gives it a temporary name. Its own name is ASCII. */
    outputPath: z.string(),
    threads: z.int().min(1),
  }),
]);
export type QuantizerRequest = z.infer<typeof quantizerRequestSchema>;
export type PlanRequest = Omit<Extract<QuantizerRequest, { task: "plan" }>, "task">;
export type MakeRequest = Omit<Extract<QuantizerRequest, { task: "quantize" }>, "task">;

const forecastSchema = z.object({
  predictedBytes: z.number(),
  needsImatrix: z.boolean(),
  /** Weights below Q8_0 would be quantized once more. */
  isLossySource: z.boolean(),
});
export type Forecast = z.infer<typeof forecastSchema>;

export const quantizerEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("progress"), writtenBytes: z.number() }),
  /** The last one of a plan. */
  z.object({ type: z.literal("forecast"), forecast: forecastSchema }),
  /** The last one of a file: it is whole, checked and on the disk. */
  z.object({ type: z.literal("made"), bytes: z.number() }),
  /** The last one where it could not be done. */
  z.object({ type: z.literal("failed"), error: errorViewSchema }),
]);
export type QuantizerEvent = z.infer<typeof quantizerEventSchema>;
