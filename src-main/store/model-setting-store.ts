import type { Database } from "better-sqlite3";
import type { z } from "zod";
import {
  familySettingsSchema,
  loadOptionsSchema,
  type FamilySettings,
  type FamilySettingsPatch,
  type LoadOptions,
  type LoadOptionsPatch,
} from "../contract/model-settings.ts";
import { definedOnly } from "./defined-only.ts";

/** A value that another version of Reprise wrote and this one does not know falls back to its default, alone. */
function readStored<Schema extends z.ZodObject>(schema: Schema, json: string | undefined): z.infer<Schema> {
  const stored = (json === undefined ? {} : JSON.parse(json)) as Record<string, unknown>;
  const known = Object.entries<z.ZodType>(schema.shape).filter(([key, field]) => field.safeParse(stored[key]).success);
  return schema.parse(Object.fromEntries(known.map(([key]) => [key, stored[key]])));
}

export function createModelSettingStore(database: Database) {
  const optionsOf = database.prepare<[string], string>("SELECT options FROM load_options WHERE model_id = ?").pluck();
  const saveOptions = database.prepare<[string, string]>(`
    INSERT INTO load_options (model_id, options) VALUES (?, ?)
    ON CONFLICT (model_id) DO UPDATE SET options = excluded.options`);
  const familyOf = database
    .prepare<[string], string>("SELECT settings FROM family_settings WHERE family_id = ?")
    .pluck();
  const saveFamily = database.prepare<[string, string]>(`
    INSERT INTO family_settings (family_id, settings) VALUES (?, ?)
    ON CONFLICT (family_id) DO UPDATE SET settings = excluded.settings`);

  const loadOptions = (modelId: string): LoadOptions => readStored(loadOptionsSchema, optionsOf.get(modelId));
  const family = (familyId: string): FamilySettings => readStored(familySettingsSchema, familyOf.get(familyId));

  return {
    /** Of one file; the defaults where nothing was set. */
    loadOptions,

    updateLoadOptions: (modelId: string, patch: LoadOptionsPatch): LoadOptions => {
      const options = loadOptionsSchema.parse({ ...loadOptions(modelId), ...definedOnly(patch) });
      saveOptions.run(modelId, JSON.stringify(options));
      return options;
    },

    /** Of all levels of a model; the defaults where nothing was set. */
    family,

    updateFamily: (familyId: string, patch: FamilySettingsPatch): FamilySettings => {
      const settings = familySettingsSchema.parse({ ...family(familyId), ...definedOnly(patch) });
      saveFamily.run(familyId, JSON.stringify(settings));
      return settings;
    },
  };
}
