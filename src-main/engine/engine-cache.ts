/**
 * What of the cache outlives a loaded model. It owns kv.db once a load has said where it lies, what was asked before, the
 * folder states pass through, and those who watch.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFileName, type CacheState, type StoreSettings, type VerifyResult } from "../contract/cache.ts";
import type { CacheOptions } from "../contract/engine-contract.ts";
import type { TurnShortfall } from "../contract/turn-report.ts";
import { cacheState } from "./kv/cache-state.ts";
import { failureSentence } from "./kv/failure-sentence.ts";
import { KvStore } from "./kv/kv-store.ts";
import { PromptHistory } from "./kv/prompt-history.ts";
import type { ReuseCosts } from "./kv/reuse-costs.ts";
import { StateFolder } from "./llama/state-folder.ts";
import type { ModelSession } from "./model-session.ts";
import type { CacheSurroundings } from "./open-kv-cache.ts";
import { PacedCalls } from "./paced-calls.ts";
import type { FreeMemory } from "./sizing/context-room.ts";

export interface EngineCacheOptions {
  /** In place of what is measured: for tests, which must not depend on how fast the machine is. */
  readonly fixedCosts?: ReuseCosts;
  /** In place of what the machine says of its memory: the same for tests. */
  readonly freeMemory?: () => FreeMemory;
}

export interface EngineCacheSurroundings {
  /** See BlockWriterOptions. */
  readonly whenIdle: () => Promise<void>;
  /** The model loaded now. */
  readonly session: () => ModelSession | null;
}

const shortestPauseMs = 250;

export class EngineCache implements Disposable {
  readonly #fixedCosts: ReuseCosts | null;
  readonly #freeMemory: (() => FreeMemory) | null;
  readonly #whenIdle: () => Promise<void>;
  readonly #session: () => ModelSession | null;
  readonly #folder = new StateFolder();
  #diskFolder: StateFolder | null = null;
  #history = new PromptHistory();
  readonly #watchers = new Set<() => void>();
  readonly #shortfalls = new Map<string, number>();
  #pinned: readonly string[] = [];
  #settings: StoreSettings | null = null;
  #store: KvStore | null = null;

  constructor({ fixedCosts, freeMemory }: EngineCacheOptions, { whenIdle, session }: EngineCacheSurroundings) {
    this.#fixedCosts = fixedCosts ?? null;
    this.#freeMemory = freeMemory ?? null;
    this.#whenIdle = whenIdle;
    this.#session = session;
  }

  [Symbol.dispose](): void {
    this.#store?.[Symbol.dispose]();
    this.#store = null;
    this.#folder[Symbol.dispose]();
    this.#diskFolder?.[Symbol.dispose]();
  }

  /** `null` before the first load. */
  get store(): KvStore | null {
    return this.#store;
  }

  /** Also again: what is different is applied. Another folder while a model is loaded is not: see Engine.load. */
  open({ cacheFolder, store: settings, pinned }: CacheOptions): CacheSurroundings {
    const path = join(cacheFolder, cacheFileName);
    if (this.#store?.path !== path) {
      this.#store?.[Symbol.dispose]();
      this.#diskFolder?.[Symbol.dispose]();
      this.#diskFolder = null;
      makeFolder(cacheFolder);
      const onChanged = () => {
        this.changed();
      };
      this.#store = new KvStore(path, { settings, whenIdle: this.#whenIdle, onChanged });
      this.#history = new PromptHistory({ archive: this.#store.prompts });
      this.#settings = settings;
    }
    const store = this.#store;
    this.configure(settings);
    this.pin(pinned);
    return {
      store,
      folder: this.#folder,
      diskFolder: (this.#diskFolder ??= new StateFolder([cacheFolder])),
      history: this.#history,
      fixedCosts: this.#fixedCosts,
      freeMemory: this.#freeMemory,
      onChanged: () => {
        this.changed();
      },
    };
  }

  configure(settings: StoreSettings): void {
    const isSame =
      this.#settings?.isEnabled === settings.isEnabled && this.#settings.budgetBytes === settings.budgetBytes;
    if (!isSame) this.#store?.configure(settings);
    this.#settings = settings;
  }

  pin(conversationIds: readonly string[]): void {
    this.#pinned = conversationIds;
    this.#store?.pin(conversationIds);
    this.changed();
  }

  forget(conversationId: string): void {
    this.#history.forget(conversationId);
    // Last, for it leaves no trace of what was removed before either.
    this.#store?.forget(conversationId);
  }

  /** Tokens that were computed again. */
  count(shortfall: TurnShortfall | null): void {
    if (shortfall === null || shortfall.kind === "none") return;
    this.#shortfalls.set(shortfall.kind, (this.#shortfalls.get(shortfall.kind) ?? 0) + shortfall.tokens);
    this.changed();
  }

  /** A block at a time, each only while nothing is computed. */
  async verify(): Promise<VerifyResult> {
    let blocks = 0;
    let damaged = 0;
    for (const outcome of this.#store?.verify() ?? []) {
      if (outcome.kind === "found" || outcome.kind === "damaged") blocks += 1;
      if (outcome.kind === "damaged") damaged += outcome.dropped.length;
      await this.#whenIdle();
    }
    const { failure = null, startedAnew = null } = this.#store?.figures ?? {};
    if (failure !== null) return { blocks, damaged, failure: failureSentence(failure) };
    // All blocks were damaged then, and nothing has come since that would make this old news.
    const isGone = startedAnew === "damaged" && blocks === 0;
    return { blocks, damaged, failure: isGone ? failureSentence({ reason: "damaged" }) : null };
  }

  changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Sends the state now and when it changed, not more often than four times a second, until the signal is aborted. */
  async watch(send: (state: CacheState) => void, signal: AbortSignal): Promise<void> {
    const updates = new PacedCalls(shortestPauseMs, () => {
      send(this.#state());
    });
    const watcher = () => {
      updates.request();
    };
    this.#watchers.add(watcher);
    watcher();
    await whenAborted(signal);
    this.#watchers.delete(watcher);
    updates[Symbol.dispose]();
  }

  #state(): CacheState {
    const session = this.#session();
    return cacheState({
      cache: session?.cache ?? null,
      bytesPerToken: session?.bytesPerToken ?? 0,
      store: this.#store,
      shortfalls: Object.fromEntries(this.#shortfalls),
      pinned: this.#pinned,
    });
  }
}

/** Where it cannot be made, the store says why it cannot be used. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    return;
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
}
