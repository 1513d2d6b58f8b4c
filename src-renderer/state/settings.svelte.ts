/**
 * What the user chose for the whole app, and what follows from it and the system: theme and language. Main keeps the
 * settings; a copy in the browser lets the first frame look right before they arrive.
 */
import { MediaQuery } from "svelte/reactivity";
import { settingsSchema, type Settings } from "../../src-main/contract/settings.ts";
import { baseLocale, locales, type Locale } from "../paraglide/runtime.js";
import type { Connection } from "./connection.svelte.ts";
import type { LocalStore } from "./local-store.ts";
import type { Problems } from "./problems.svelte.ts";

const storageKey = "reprise.settings";

export class SettingsState {
  #current = $state.raw<Settings>(settingsSchema.parse({}));
  readonly #systemIsDark = new MediaQuery("prefers-color-scheme: dark", false);
  readonly #connection: Connection;
  readonly #problems: Problems;
  readonly #store: LocalStore;

  readonly theme = $derived.by((): "light" | "dark" => {
    if (this.#current.theme !== "system") return this.#current.theme;
    return this.#systemIsDark.current ? "dark" : "light";
  });
  readonly locale = $derived.by((): Locale => chooseLocale(this.#current.locale, navigator.languages));

  constructor(connection: Connection, problems: Problems, store: LocalStore) {
    this.#connection = connection;
    this.#problems = problems;
    this.#store = store;
    const kept = settingsSchema.safeParse(store.read(storageKey));
    if (kept.success) this.#current = kept.data;
    connection.follow<Settings>({
      open: (client, signal) => client.settings.watch(undefined, { signal }),
      onEvent: (settings) => {
        this.#set(settings);
      },
    });
  }

  get current(): Settings {
    return this.#current;
  }

  /** Shown at once, taken back where it could not be kept. */
  async update(patch: Partial<Settings>): Promise<void> {
    const before = this.#current;
    this.#set({ ...before, ...patch });
    const kept = await this.#problems.attempt(this.#connection.call((client) => client.settings.update(patch)));
    if (!kept) this.#set(before);
  }

  #set(settings: Settings): void {
    this.#current = settings;
    this.#store.write(storageKey, settings);
  }
}

/** The chosen language, else the first of the reader's languages that there is. */
export function chooseLocale(setting: Settings["locale"], languages: readonly string[]): Locale {
  if (setting !== "system") return setting;
  const wanted = languages.map((language) => language.split("-", 1)[0]?.toLowerCase());
  return wanted.flatMap((language) => locales.filter((locale) => locale === language))[0] ?? baseLocale;
}
