/** What is set for one model file (how it is loaded) and for all levels of one model (how it answers). */
import { z } from "zod";
import { samplingSchema } from "./conversation.ts";

/** Of keys or values in memory. */
export const cacheTypeSchema = z.enum(["f16", "q8_0", "q4_0"]);
export type CacheType = z.infer<typeof cacheTypeSchema>;

const loadFields = {
  /** `null`: planned from the model's training and the memory there is. */
  contextTokens: z.int().min(256).nullable(),
  keyType: cacheTypeSchema,
  valueType: cacheTypeSchema,
  flashAttention: z.enum(["auto", "on", "off"]),
  /** How many layers go to the graphics card. */
  gpuLayers: z.union([z.int().min(0), z.literal("auto")]),
  /** `null`: as measured on this machine. */
  threads: z.object({ prefill: z.int().min(1).max(1_024), decode: z.int().min(1).max(1_024) }).nullable(),
  useMmap: z.boolean(),
  useMlock: z.boolean(),
  /** `null`: as the file says. */
  ropeFrequencyBase: z.number().positive().nullable(),
  /** `null`: as the file says. */
  ropeFrequencyScale: z.number().positive().nullable(),
  loras: z.array(z.object({ path: z.string().min(1), scale: z.number() })).max(16),
};

/** How a model file is loaded. Every field has a default, so what an older version stored still reads. */
export const loadOptionsSchema = z.object({
  contextTokens: loadFields.contextTokens.default(null),
  keyType: loadFields.keyType.default("f16"),
  valueType: loadFields.valueType.default("f16"),
  flashAttention: loadFields.flashAttention.default("auto"),
  gpuLayers: loadFields.gpuLayers.default("auto"),
  threads: loadFields.threads.default(null),
  useMmap: loadFields.useMmap.default(true),
  useMlock: loadFields.useMlock.default(false),
  ropeFrequencyBase: loadFields.ropeFrequencyBase.default(null),
  ropeFrequencyScale: loadFields.ropeFrequencyScale.default(null),
  loras: loadFields.loras.default([]),
});
export type LoadOptions = z.infer<typeof loadOptionsSchema>;

export const defaultLoadOptions: LoadOptions = loadOptionsSchema.parse({});

/** Not of the schema above: its defaults would come in for every field a patch leaves out. */
export const loadOptionsPatchSchema = z.object(loadFields).partial();
export type LoadOptionsPatch = z.infer<typeof loadOptionsPatchSchema>;

/** A template is a stranger's or the user's text, and is only ever rendered within bounds; this one keeps it storable. */
const maximumTemplateCharacters = 1_000_000;

export const chatTemplateSchema = z.string().min(1).max(maximumTemplateCharacters);

const familyFields = {
  /** What a new conversation begins with; `null`: the app's own. */
  sampling: samplingSchema.nullable(),
  /** What a new conversation begins with; `null`: none. */
  systemPrompt: z.string().nullable(),
  /** Takes the place of the files' own chat template; `null`: theirs. */
  chatTemplate: chatTemplateSchema.nullable(),
};

/** What goes for all levels of one model, so that it survives switching between them. */
export const familySettingsSchema = z.object({
  sampling: familyFields.sampling.default(null),
  systemPrompt: familyFields.systemPrompt.default(null),
  chatTemplate: familyFields.chatTemplate.default(null),
});
export type FamilySettings = z.infer<typeof familySettingsSchema>;

export const defaultFamilySettings: FamilySettings = familySettingsSchema.parse({});

export const familySettingsPatchSchema = z.object(familyFields).partial();
export type FamilySettingsPatch = z.infer<typeof familySettingsPatchSchema>;
