/** Several models in memory at once, and what it takes to go on in a conversation with another one. */
import { z } from "zod";
import { errorViewSchema } from "./errors.ts";

const bytes = z.number().min(0);
const count = z.int().min(0);

/** A model in memory with its own context, as the engine counts it. */
export const residentModelSchema = z.object({
  path: z.string(),
  /** It computes what is sent now; the others are there to go on at once. */
  isActive: z.boolean(),
  weightsBytes: bytes,
  /** Cells reserved for keys and values, used or not, and the state of layers that carry one. */
  cacheBytes: bytes,
  computeBytes: bytes,
  contextTokens: count,
  /** Cells in use. */
  usedCells: count,
  /** Conversations in its cells, with how many of their tokens. */
  inPlace: z.array(z.object({ conversationId: z.string(), tokens: count })),
});
export type ResidentModel = z.infer<typeof residentModelSchema>;

/** What going on with another model would take, as things are now. Nothing is loaded or computed to find it out. */
const switchFigures = {
  /** It answers now already. */
  isActive: z.boolean(),
  /** It is in memory: nothing is loaded. */
  isResident: z.boolean(),
  /** What is read from the disk; 0 where it is resident. */
  loadBytes: bytes,
  /** Weights, cache and compute buffers with the context it would get; what it has where it is resident. `null`: the file does not tell. */
  memoryBytes: bytes.nullable(),
  /** Memory suffices, when others have made way where they must. What does not fit is loaded all the same. */
  isFitting: z.boolean(),
  /** The model that answers now stays in memory. True where none does. */
  keepsActive: z.boolean(),
  /** Of the conversation so far; `null` where no model in memory has the same tokens, so that nobody can count them. */
  promptTokens: count.nullable(),
  /** Of these, what is in its cells, and what can be restored from the store: the larger counts. 0 where they cannot be counted. */
  residentTokens: count,
  storedTokens: count,
  /** What has to be computed; `null` where tokens cannot be counted. */
  computeTokens: count.nullable(),
  /** At the speed this model was measured with on this machine; `null` where it never was. */
  computeMs: z.number().min(0).nullable(),
};

/** The engine's part. `closes`: paths of the models that would make way. */
export const engineSwitchCostSchema = z.object({ ...switchFigures, closes: z.array(z.string()) });
export type EngineSwitchCost = z.infer<typeof engineSwitchCostSchema>;

export const switchCostSchema = z.object({
  modelId: z.string(),
  ...switchFigures,
  /** Ids of the models that would make way. */
  closes: z.array(z.string()),
  /** As loading took the last time since the app was opened; `null` where it was not loaded yet, 0 where it is resident. */
  loadMs: z.number().min(0).nullable(),
});
export type SwitchCost = z.infer<typeof switchCostSchema>;

/**
 * A conversation that is being put in place under another model in the background. `waiting`: for answers, which go
 * first. `prefill`: of all tokens of the conversation so far, how many are in place; what is stored is restored first.
 * `failed`: it stays until another switch, the next message or `cancelSwitch`.
 */
export const modelSwitchSchema = z.object({
  modelId: z.string(),
  phase: z.discriminatedUnion("name", [
    z.object({ name: z.literal("waiting") }),
    z.object({ name: z.literal("loading"), fraction: z.number() }),
    z.object({ name: z.literal("prefill"), doneTokens: count, totalTokens: count }),
    z.object({ name: z.literal("failed"), error: errorViewSchema }),
  ]),
});
export type ModelSwitch = z.infer<typeof modelSwitchSchema>;

/** How fast a model file computes on this machine, with the threads it is used with. */
export const modelSpeedSchema = z.object({
  /** Of a short prompt with nothing before it. */
  prefillTokensPerSecond: z.number(),
  decodeTokensPerSecond: z.number(),
  /** Milliseconds since 1970. */
  measuredAt: z.number(),
  /** Other programs kept the processor busy meanwhile: it may be faster. */
  underLoad: z.boolean(),
});
export type ModelSpeed = z.infer<typeof modelSpeedSchema>;
