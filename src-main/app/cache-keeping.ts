/**
 * Keeps the engine's cache in step with settings and conversations. An engine that runs is told at once, in the
 * background; another one when it opens the cache.
 */
import { toRepriseError } from "../contract/errors.ts";
import type { CacheFeed } from "./cache-feed.ts";
import { pinnedConversations, storeSettings } from "./cache-options.ts";
import { readCacheState } from "./cache-state.ts";
import { isEngineGone } from "./engine-gone.ts";
import type { EngineSession } from "./engine-session.ts";
import type { EngineClient, Store } from "./ports.ts";
import type { StatusService } from "./status-service.ts";

interface Dependencies {
  readonly store: Store;
  readonly session: EngineSession;
  readonly feed: CacheFeed;
  readonly status: StatusService;
}

export class CacheKeeping {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
    parts.session.observe({
      loaded: (client) => {
        this.#inBackground(this.#forgetDeleted(client));
      },
    });
  }

  settingsChanged(): void {
    const { session, store, feed } = this.#parts;
    this.#inBackground(session.whereRunning((client) => client.cache.configure(storeSettings(store.settings.get()))));
    feed.refresh();
  }

  pinsChanged(): void {
    const { session, store, feed } = this.#parts;
    const conversationIds = pinnedConversations(store);
    this.#inBackground(session.whereRunning((client) => client.cache.pin({ conversationIds })));
    feed.refresh();
  }

  /** The conversation was deleted. Where no engine runs, the next one hears of it. */
  forget(conversationId: string): void {
    this.#inBackground(this.#parts.session.whereRunning((client) => client.cache.forget({ conversationId })));
  }

  /** What was deleted while no engine ran, or while it did not hear of it. */
  async #forgetDeleted(client: EngineClient): Promise<void> {
    const { residency } = await readCacheState(client);
    const existing = new Set(this.#parts.store.conversations.list().map(({ id }) => id));
    for (const { conversationId } of residency) {
      if (!existing.has(conversationId)) await client.cache.forget({ conversationId });
    }
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((caught: unknown) => {
      // The next engine begins with how things are then.
      if (!isEngineGone(caught)) this.#parts.status.addNotice(toRepriseError(caught));
    });
  }
}
