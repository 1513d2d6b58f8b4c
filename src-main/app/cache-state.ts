import { emptyStore, type CacheState } from "../contract/cache.ts";
import type { CacheOptions } from "../contract/engine-contract.ts";
import { engineFailed } from "./answer-end.ts";
import type { EngineClient } from "./ports.ts";

/** How things are while no engine runs: nothing is in place, and what was stored when it was last seen still is. */
export function stateWithoutEngine({ store: settings, pinned }: CacheOptions, lastSeen: CacheState | null): CacheState {
  const store = lastSeen?.store ?? emptyStore;
  return {
    models: [],
    cells: null,
    bytesPerToken: 0,
    runs: [],
    store: {
      ...store,
      isEnabled: settings.isEnabled,
      budgetBytes: settings.budgetBytes ?? store.budgetBytes,
      pendingBytes: 0,
    },
    residency: (lastSeen?.residency ?? []).filter(({ state }) => state === "stored"),
    evictions: lastSeen?.evictions ?? [],
    shortfalls: {},
    pinned,
  };
}

/** The engine's state now. Throws what the engine throws. */
export async function readCacheState(client: EngineClient): Promise<CacheState> {
  const states = await client.cache.watch();
  const first = await states.next();
  await states.return();
  if (first.done === true) throw engineFailed("it does not tell what its cache holds");
  return first.value;
}
