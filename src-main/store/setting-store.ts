import type { Database } from "better-sqlite3";
import { settingsSchema, type Settings } from "../contract/settings.ts";
import { definedOnly } from "./defined-only.ts";

interface SettingRow {
  readonly key: string;
  readonly value: string;
}

/** A value that another version of Reprise wrote and this one does not know falls back to its default, alone. */
function toSettings(rows: readonly SettingRow[]): Settings {
  const stored = new Map(rows.map((row): [string, unknown] => [row.key, JSON.parse(row.value)]));
  const entries = Object.entries(settingsSchema.shape).map(([key, schema]) => {
    const parsed = schema.safeParse(stored.get(key));
    return [key, parsed.success ? parsed.data : undefined];
  });
  return settingsSchema.parse(Object.fromEntries(entries));
}

export function createSettingStore(database: Database) {
  const all = database.prepare<[], SettingRow>("SELECT key, value FROM setting");
  const save = database.prepare<SettingRow>(
    "INSERT INTO setting (key, value) VALUES (@key, @value) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );
  const saveAll = database.transaction((patch: Partial<Settings>): void => {
    for (const [key, value] of Object.entries(definedOnly(patch))) save.run({ key, value: JSON.stringify(value) });
  });
  const get = (): Settings => toSettings(all.all());

  return {
    get,
    update: (patch: Partial<Settings>): Settings => {
      saveAll(patch);
      return get();
    },
  };
}
