/** What the catalogue's models would be on this machine, and which of them suit it. All of it is foreseen, and nobody is asked. */
import { z } from "zod";
import { machineFitSchema, machineMemorySchema } from "./machine-fit.ts";

/** What the speeds are reckoned from: a model that is here, and was measured when it was first loaded. */
const speedMeasurementSchema = z.object({
  modelName: z.string(),
  sizeBytes: z.number(),
  prefillTokensPerSecond: z.number(),
  decodeTokensPerSecond: z.number(),
  /** Other programs kept the processor busy meanwhile: it would be faster alone. */
  underLoad: z.boolean(),
});
export type SpeedMeasurement = z.infer<typeof speedMeasurementSchema>;

const modelForecastSchema = z.object({
  catalogueId: z.string(),
  /** The level that is reckoned with. */
  level: z.string(),
  /** From the number of weights and the level's bits; the hub knows the file's own size. */
  sizeBytes: z.number(),
  /** With a conversation and buffers. */
  memoryBytes: z.number(),
  fit: machineFitSchema,
  /** Some file of its repository is in the models folder. */
  isHere: z.boolean(),
  /** In a short conversation; `null` until a model was measured. */
  prefillTokensPerSecond: z.number().nullable(),
  decodeTokensPerSecond: z.number().nullable(),
});
export type ModelForecast = z.infer<typeof modelForecastSchema>;

const proposalSchema = z.object({
  catalogueId: z.string(),
  /** `strongest`: the largest that fits and is not slow; each of the others takes clearly less than the one before. */
  reason: z.enum(["strongest", "balanced", "quickest"]),
});
export type Proposal = z.infer<typeof proposalSchema>;

export const proposalsSchema = z.object({
  machine: machineMemorySchema,
  /** On the disk of the models folder; `null` where the system does not tell. */
  diskFreeBytes: z.number().nullable(),
  measured: speedMeasurementSchema.nullable(),
  /** Of every model of the catalogue, in its order. */
  forecasts: z.array(modelForecastSchema),
  /** Three at most, none where nothing suits. */
  proposals: z.array(proposalSchema),
});
export type Proposals = z.infer<typeof proposalsSchema>;
