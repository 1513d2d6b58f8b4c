/** The settings, and everybody who wants to know when they change. */
import type { Settings, SettingsPatch } from "../contract/settings.ts";
import { EventHub } from "./event-hub.ts";
import type { SettingStore } from "./ports.ts";

export class SettingsService {
  readonly #store: SettingStore;
  readonly #onStoreChanged: () => void;
  readonly #hub: EventHub<Settings>;

  /** `onStoreChanged`: those of the block store are others now. */
  constructor(store: SettingStore, onStoreChanged: () => void) {
    this.#store = store;
    this.#onStoreChanged = onStoreChanged;
    this.#hub = new EventHub<Settings>({ snapshot: () => store.get(), backlogLimit: 0 });
  }

  get(): Settings {
    return this.#store.get();
  }

  update(patch: SettingsPatch): Settings {
    const settings = this.#store.update(patch);
    this.#hub.refresh();
    if (patch.storeCache !== undefined || patch.storeBudgetBytes !== undefined) this.#onStoreChanged();
    return settings;
  }

  watch(signal?: AbortSignal): AsyncIteratorObject<Settings, undefined> {
    return this.#hub.watch(signal);
  }

  end(): void {
    this.#hub.end();
  }
}
