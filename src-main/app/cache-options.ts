import type { StoreSettings } from "../contract/cache.ts";
import type { CacheOptions } from "../contract/engine-contract.ts";
import type { Settings } from "../contract/settings.ts";
import type { Store } from "./ports.ts";

export function storeSettings({ storeCache, storeBudgetBytes }: Settings): StoreSettings {
  return { isEnabled: storeCache, budgetBytes: storeBudgetBytes };
}

export function pinnedConversations({ conversations }: Pick<Store, "conversations">): string[] {
  return conversations.list().flatMap(({ id, pinned }) => (pinned ? [id] : []));
}

/** What the engine is to know of the cache, as it is now. */
export function cacheOptions(cacheFolder: string, store: Store): CacheOptions {
  return { cacheFolder, store: storeSettings(store.settings.get()), pinned: pinnedConversations(store) };
}
