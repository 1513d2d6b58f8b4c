/**
 * What the cache holds, for everybody who wants to see it, across engines: it follows the engine that runs while
 * somebody looks, and never starts one. It owns what was seen last, which is still stored when the engine is gone.
 */
import type { CacheState } from "../contract/cache.ts";
import type { CacheOptions } from "../contract/engine-contract.ts";
import { toRepriseError } from "../contract/errors.ts";
import { stateWithoutEngine } from "./cache-state.ts";
import { isEngineGone } from "./engine-gone.ts";
import type { EngineSession } from "./engine-session.ts";
import { EventHub } from "./event-hub.ts";
import type { EngineClient } from "./ports.ts";

interface Dependencies {
  readonly session: EngineSession;
  readonly cacheOptions: () => CacheOptions;
}

export class CacheFeed {
  readonly #parts: Dependencies;
  readonly #hub = new EventHub<CacheState>({ snapshot: () => this.#now(), backlogLimit: 0 });
  #following: AbortController | null = null;
  /** What the engine says now; `null` while none says anything. */
  #live: CacheState | null = null;
  #lastSeen: CacheState | null = null;
  #failure: string | null = null;

  constructor(parts: Dependencies) {
    this.#parts = parts;
    parts.session.observe({
      started: () => {
        this.#follow();
      },
      lost: () => {
        this.#leave();
        this.#hub.refresh();
      },
    });
  }

  watch(signal?: AbortSignal): AsyncIteratorObject<CacheState, undefined> {
    const states = this.#hub.watch(signal);
    this.#follow();
    return states;
  }

  /** Settings or pins are others, which shows also while no engine runs. */
  refresh(): void {
    this.#hub.refresh();
  }

  end(): void {
    this.#leave();
    this.#hub.end();
  }

  #now(): CacheState {
    if (this.#live !== null) return this.#live;
    const state = stateWithoutEngine(this.#parts.cacheOptions(), this.#lastSeen);
    return { ...state, store: { ...state.store, failure: this.#failure } };
  }

  #follow(): void {
    const { session } = this.#parts;
    if (this.#following !== null || this.#hub.readerCount === 0 || !session.isRunning) return;
    const following = new AbortController();
    this.#following = following;
    this.#failure = null;
    void session
      .whereRunning((client) => this.#read(client, following))
      .catch((caught: unknown) => {
        if (!following.signal.aborted && !isEngineGone(caught)) this.#failure = toRepriseError(caught).message;
      })
      .finally(() => {
        if (this.#following !== following) return;
        this.#leave();
        this.#hub.refresh();
      });
  }

  async #read(client: EngineClient, following: AbortController): Promise<void> {
    for await (const state of await client.cache.watch(undefined, { signal: following.signal })) {
      if (this.#following !== following) return;
      this.#live = state;
      this.#lastSeen = state;
      this.#hub.refresh();
      if (this.#hub.readerCount > 0) continue;
      // Before the stream is closed: whoever comes meanwhile begins a new one.
      this.#leave();
      return;
    }
  }

  #leave(): void {
    this.#following?.abort();
    this.#following = null;
    this.#live = null;
  }
}
