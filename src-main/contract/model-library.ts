/** The library: what is known of each file, and one card for all levels of one model. */
import { z } from "zod";
import { errorViewSchema } from "./errors.ts";
import { ggufSummarySchema, modelKindSchema, modelSourceSchema } from "./model.ts";
import { modelSpeedSchema } from "./model-switch.ts";
import { familySettingsPatchSchema, familySettingsSchema, loadOptionsPatchSchema } from "./model-settings.ts";

/**
 * What tells which model a file holds a level of. `statement`: how much the file says of that. `named` files have a name
 * only, which whoever converted them chose; `unnamed` ones nothing of use, and are told by shape and tensors.
 */
const familyTraitsSchema = z.object({
  familyId: z.string(),
  statement: z.enum(["stated", "named", "unnamed"]),
  /** As a person writes it; `null` where the file says nothing of use. */
  name: z.string().nullable(),
  /** Equal where shape and those weights are that every level keeps as they are; `null` where they could not be read. */
  weightsMark: z.string().nullable(),
  /** `135M`, `3.2B`; `null` where the tensors could not be counted. */
  parametersLabel: z.string().nullable(),
});
export type FamilyTraits = z.infer<typeof familyTraitsSchema>;

/** What a model takes in memory with a context of so many tokens, as it is loaded when nothing else is asked for. */
const footprintSchema = z.object({
  /** How many weights there are. */
  parameters: z.number(),
  weightsBytes: z.number(),
  contextTokens: z.int(),
  /** Keys and values as F16. */
  keyBytes: z.number(),
  valueBytes: z.number(),
  /** Of layers that carry a state. */
  stateBytes: z.number(),
  computeBytes: z.number(),
});
export type Footprint = z.infer<typeof footprintSchema>;

/** What a file was found to be. Kept as long as the file stays the same. */
export const modelFactsSchema = z.object({
  /** Of the reading: what an older Reprise found is read again. */
  version: z.literal(2),
  kind: modelKindSchema,
  summary: ggufSummarySchema.nullable(),
  /** Why it cannot be used, as a clause that fits after "because"; `null` where it can. */
  reason: z.string().nullable(),
  /** `null` where it is no model. */
  traits: familyTraitsSchema.nullable(),
  /** `null` where the file does not tell. */
  footprint: footprintSchema.nullable(),
});
export type ModelFacts = z.infer<typeof modelFactsSchema>;

/** One file of a family. */
const familyLevelSchema = z.object({
  modelId: z.string(),
  /** As the file writes it (`Q4_K_M`); `null` where it does not say. */
  level: z.string().nullable(),
  sizeBytes: z.number(),
  source: modelSourceSchema,
  problem: errorViewSchema.nullable(),
  /**
   * Weights, cache and compute buffers with a context of so many tokens, which is what it gets unless memory is short,
   * reckoned for the cache types it is loaded with; `null` where the file does not tell. `models.plan` tells more.
   */
  memory: z.object({ bytes: z.number(), contextTokens: z.int() }).nullable(),
  /** Measured on this machine; `null` where it never was. */
  speed: modelSpeedSchema.nullable(),
  /** Of the levels that were measured, if at least two were. */
  isFastestPrefill: z.boolean(),
  isFastestDecode: z.boolean(),
  /** Of the whole file; `null` where the weights were not counted. */
  bitsPerWeight: z.number().nullable(),
  /** The most precise level there is of this model, which the others are compared with: the reference. One of each family. */
  isReference: z.boolean(),
});
export type FamilyLevel = z.infer<typeof familyLevelSchema>;

/** The levels of one model, smallest first. */
export const familyCardSchema = z.object({
  id: z.string(),
  name: z.string(),
  architecture: z.string(),
  parametersLabel: z.string().nullable(),
  levels: z.array(familyLevelSchema),
  settings: familySettingsSchema,
});
export type FamilyCard = z.infer<typeof familyCardSchema>;

export const familyUpdateSchema = z.object({ familyId: z.string(), patch: familySettingsPatchSchema });
export const fileUpdateSchema = z.object({ modelId: z.string(), patch: loadOptionsPatchSchema });
