/** The settings, and everybody who wants to know when they change. */
import type { Settings, SettingsPatch } from "../contract/settings.ts";
import { EventHub } from "./event-hub.ts";
import type { SettingStore } from "./ports.ts";

export class SettingsService {
  readonly #store: SettingStore;
  readonly #onChanged: (patch: SettingsPatch) => void;
  readonly #hub: EventHub<Settings>;

  /** `onChanged` is told what was changed, once it is stored. */
  constructor(store: SettingStore, onChanged: (patch: SettingsPatch) => void) {
    this.#store = store;
    this.#onChanged = onChanged;
    this.#hub = new EventHub<Settings>({ snapshot: () => store.get(), backlogLimit: 0 });
  }

  get(): Settings {
    return this.#store.get();
  }

  update(patch: SettingsPatch): Settings {
    const settings = this.#store.update(patch);
    this.#hub.refresh();
    this.#onChanged(patch);
    return settings;
  }

  watch(signal?: AbortSignal): AsyncIteratorObject<Settings, undefined> {
    return this.#hub.watch(signal);
  }

  end(): void {
    this.#hub.end();
  }
}
