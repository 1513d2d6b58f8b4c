/** How much memory a model file would take, and what fits. */
import { z } from "zod";
import { cacheTypeSchema, loadOptionsSchema } from "./model-settings.ts";
import { ggufKindSchema, ggufSummarySchema } from "./model.ts";

/**
 * Where a figure comes from: `metadata` adds up what the file says; `formula` is what llama.cpp allocates, to the byte;
 * `estimate` is near it; `machine` was asked of the system; `given` came with the question; `rule` is a fixed choice.
 */
const figureSourceSchema = z.enum(["metadata", "formula", "estimate", "machine", "given", "rule"]);
export type FigureSource = z.infer<typeof figureSourceSchema>;

export const planInputSchema = z.object({
  path: z.string().min(1),
  /** Of each user; absent: what the options say, or else what the model would be loaded with. */
  contextTokens: z
    .int()
    .min(1)
    .max(2 ** 31)
    .optional(),
  /** Conversations whose caches are held at once. */
  users: z.int().min(1).max(65_536).optional(),
  /** Absent: all memory of this machine. */
  budgetBytes: z.number().min(0).optional(),
  /** What the model would be loaded with; what is absent is as for a file that nothing was set for. */
  options: loadOptionsSchema.optional(),
});
export type PlanInput = z.infer<typeof planInputSchema>;

/** Nothing here forbids anything: where `missingBytes` is above 0 a load may fail or the system swap. */
export const memoryPlanSchema = z.object({
  path: z.string(),
  weightsBytes: z.number(),
  /** Of LoRA files, which are loaded with it. */
  adapterBytes: z.number(),
  /** Keys and values of one token in all layers. */
  kvBytesPerToken: z.number(),
  computeBytes: z.number(),
  /** Left for the system and other programs. */
  reserveBytes: z.number(),
  /** The longest context that fits for one user, in whole blocks of 256 tokens; the model may have been trained for less. */
  maxTokens: z.int(),
  /** The longest context each of `users` can have. */
  maxTokensPerUser: z.int(),
  contextTokens: z.int(),
  users: z.int(),
  budgetBytes: z.number(),
  keyType: cacheTypeSchema,
  valueType: cacheTypeSchema,
  flashAttention: z.boolean(),
  /** Of all users, with padding. */
  cacheBytes: z.number(),
  /** Weights, adapters, cache and compute buffers. */
  totalBytes: z.number(),
  /** What is missing for all of it and the reserve; 0 where it fits. */
  missingBytes: z.number(),
  trainedContextTokens: z.int().nullable(),
  /** Multi-head, grouped-query, multi-query or multi-head latent attention. */
  attention: z.enum(["mha", "gqa", "mqa", "mla", "none"]),
  layers: z.object({
    /** Keep every token, a window of them, a state of one size; a layer may do both of the last and one of the others. */
    all: z.int(),
    window: z.int(),
    state: z.int(),
    windowTokens: z.int(),
  }),
  sources: z.record(
    z.enum([
      "weightsBytes",
      "adapterBytes",
      "kvBytesPerToken",
      "cacheBytes",
      "computeBytes",
      "reserveBytes",
      "budgetBytes",
      "contextTokens",
    ]),
    figureSourceSchema,
  ),
  /** What this model takes now, with the context it was loaded with; `null` while it is not loaded. */
  measured: z
    .object({
      contextTokens: z.int(),
      /** Of adapters too. */
      weightsBytes: z.number(),
      cacheBytes: z.number(),
      computeBytes: z.number(),
    })
    .nullable(),
});
export type MemoryPlan = z.infer<typeof memoryPlanSchema>;

/** Everything a GGUF file says, whatever kind it is. */
export const modelDetailsSchema = z.object({
  path: z.string(),
  kind: ggufKindSchema,
  /** Every file of it. */
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number() })),
  /** `null` where it cannot be loaded as a model; `problem` says why, as a sentence. */
  summary: ggufSummarySchema.nullable(),
  problem: z.string().nullable(),
  tensors: z.int(),
  /** Most bytes first. `type` is llama.cpp's name of it, or its number. */
  tensorTypes: z.array(z.object({ type: z.string(), tensors: z.int(), bytes: z.number() })),
  /** Long texts are cut; of arrays only the length is told. */
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.object({ length: z.int() })])),
});
export type ModelDetails = z.infer<typeof modelDetailsSchema>;

/** `problems` are sentences. */
export const modelCheckSchema = z.object({ ok: z.boolean(), problems: z.array(z.string()) });
export type ModelCheck = z.infer<typeof modelCheckSchema>;
