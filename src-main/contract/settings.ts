import { z } from "zod";

const fields = {
  theme: z.enum(["system", "light", "dark"]),
  locale: z.enum(["system", "en", "de"]),
  /** Enter sends and Shift+Enter breaks the line; off: Ctrl/Cmd+Enter sends. */
  enterSends: z.boolean(),
  inspectorOpen: z.boolean(),
  sidebarOpen: z.boolean(),
  /** Computing a draft while it is typed. `auto`: not on battery. */
  prepareDrafts: z.enum(["auto", "on", "off"]),
  /** Keeping computed conversations on disk, to go on from after a switch or a restart. */
  storeCache: z.boolean(),
  /** `null`: 8 GB or a tenth of the free disk, the smaller. */
  storeBudgetBytes: z.number().min(0).nullable(),
  /** The model a new conversation uses; `null`: the default model. */
  modelId: z.string().nullable(),
  /** Folders whose models are listed too, and are never changed. Absolute paths. */
  watchFolders: z.array(z.string().min(1)).max(100),
  /** Whether models are proposed that suit this machine. */
  showProposals: z.boolean(),
};

/** What the user chose for the whole app. Every field has a default, so an older file of settings still reads. */
export const settingsSchema = z.object({
  theme: fields.theme.default("system"),
  locale: fields.locale.default("system"),
  enterSends: fields.enterSends.default(true),
  inspectorOpen: fields.inspectorOpen.default(false),
  sidebarOpen: fields.sidebarOpen.default(true),
  prepareDrafts: fields.prepareDrafts.default("auto"),
  storeCache: fields.storeCache.default(true),
  storeBudgetBytes: fields.storeBudgetBytes.default(null),
  modelId: fields.modelId.default(null),
  watchFolders: fields.watchFolders.default([]),
  showProposals: fields.showProposals.default(true),
});
export type Settings = z.infer<typeof settingsSchema>;

/** Not of the schema above: its defaults would come in for every field a patch leaves out. */
export const settingsPatchSchema = z.object(fields).partial();
export type SettingsPatch = z.infer<typeof settingsPatchSchema>;
