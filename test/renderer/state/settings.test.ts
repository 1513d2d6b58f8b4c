import { flushSync } from "svelte";
import { describe, expect, test, vi } from "vitest";
import { settingsSchema, type Settings } from "../../../src-main/contract/settings.ts";
import { LocalStore } from "../../../src-renderer/state/local-store.ts";
import { Problems } from "../../../src-renderer/state/problems.svelte.ts";
import { chooseLocale, SettingsState } from "../../../src-renderer/state/settings.svelte.ts";
import { eventSource } from "../../helpers/event-source.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { memoryStorage } from "../../helpers/memory-storage.ts";

const defaults = settingsSchema.parse({});

async function settingsWith(update: () => Promise<Settings>, storage = memoryStorage()) {
  const source = eventSource<Settings>();
  const connection = await openConnection({ settings: { watch: () => Promise.resolve(source), update } });
  const problems = new Problems();
  return { settings: new SettingsState(connection, problems, new LocalStore(storage)), problems, source, storage };
}

describe("settings", () => {
  test("are shown at once and kept for the next page", async () => {
    const { settings, storage } = await settingsWith(() => Promise.resolve({ ...defaults, theme: "dark" }));
    const updating = settings.update({ theme: "dark" });
    expect(settings.theme).toBe("dark");
    await updating;

    const next = await settingsWith(() => Promise.resolve(defaults), storage);
    expect(next.settings.theme).toBe("dark");
  });

  test("are taken back where they could not be kept", async () => {
    const { settings, problems } = await settingsWith(() => Promise.reject(new Error("cut off")));
    await settings.update({ theme: "dark" });
    expect(settings.current).toEqual(defaults);
    expect(problems.list).toMatchObject([{ error: { code: "CONNECTION_LOST" } }]);
  });

  test("follow what another window changed", async () => {
    const { settings, source } = await settingsWith(() => Promise.resolve(defaults));
    source.push({ ...defaults, locale: "de" });
    await vi.waitUntil(() => settings.locale === "de");
    flushSync();
  });
});

describe("the language", () => {
  test.each([
    ["de", ["en-GB"], "de"],
    ["system", ["de-AT", "en"], "de"],
    ["system", ["fr-FR", "de-CH"], "de"],
    ["system", ["EN-us"], "en"],
    ["system", ["fr"], "en"],
    ["system", [], "en"],
  ] as const)("set to %s, for a reader of %o, is %s", (setting, languages, locale) => {
    expect(chooseLocale(setting, languages)).toBe(locale);
  });
});
