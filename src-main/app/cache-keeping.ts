/**
 * Keeps the engine's cache in step with settings and conversations. An engine that runs is told at once, in the
 * background; another one when it opens the cache. It owns what it tells and is not answered yet.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFileName } from "../contract/cache.ts";
import type { CacheOptions } from "../contract/engine-contract.ts";
import { toRepriseError } from "../contract/errors.ts";
import type { CacheFeed } from "./cache-feed.ts";
import { pinnedConversations, storeSettings } from "./cache-options.ts";
import { isEngineGone } from "./engine-gone.ts";
import type { EngineSession } from "./engine-session.ts";
import type { EngineClient, Store } from "./ports.ts";
import type { StatusService } from "./status-service.ts";

interface Dependencies {
  readonly store: Store;
  readonly session: EngineSession;
  readonly feed: CacheFeed;
  readonly status: StatusService;
  readonly cacheOptions: () => CacheOptions;
}

export class CacheKeeping {
  readonly #parts: Dependencies;
  readonly #telling = new Set<Promise<void>>();

  constructor(parts: Dependencies) {
    this.#parts = parts;
    parts.session.observe({
      cacheOpened: (client) => {
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

  /** The conversation was deleted: what is stored of it goes too, for which an engine is started where none runs. */
  forget(conversationId: string): void {
    const { session, cacheOptions } = this.#parts;
    const forget = (client: EngineClient) => client.cache.forget({ conversationId });
    const isStored = existsSync(join(cacheOptions().cacheFolder, cacheFileName));
    this.#inBackground(isStored ? session.withCache(forget) : session.whereRunning(forget));
  }

  /** Resolves when the engine has heard all it was told so far, or could not be told. */
  async whenTold(): Promise<void> {
    while (this.#telling.size > 0) await Promise.all(this.#telling);
  }

  /** What was deleted while no engine could be told. */
  async #forgetDeleted(client: EngineClient): Promise<void> {
    const remembered = await client.cache.conversations();
    // Looked up only then: what was begun meanwhile is among them.
    const existing = new Set(this.#parts.store.conversations.list().map(({ id }) => id));
    for (const conversationId of remembered) {
      if (!existing.has(conversationId)) await client.cache.forget({ conversationId });
    }
  }

  #inBackground(work: Promise<unknown>): void {
    const done = work.then(
      () => undefined,
      (caught: unknown) => {
        // The next engine begins with how things are then.
        if (!isEngineGone(caught)) this.#parts.status.addNotice(toRepriseError(caught));
      },
    );
    this.#telling.add(done);
    void done.then(() => this.#telling.delete(done));
  }
}
