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
import { ChangeWatchers } from "./change-watchers.ts";
import type { ModelSession } from "./model-session.ts";
import type { CacheSurroundings } from "./open-kv-cache.ts";
import { noOtherModels } from "./other-models.ts";
import { rememberedConversations } from "./remembered-conversations.ts";
import { residentModel } from "./resident-model.ts";
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
  /** The models in memory, and which of them is active. */
  readonly models: () => { readonly all: readonly ModelSession[]; readonly active: ModelSession | null };
}

export class EngineCache implements Disposable {
  readonly #fixedCosts: ReuseCosts | null;
  readonly #freeMemory: (() => FreeMemory) | null;
  readonly #whenIdle: () => Promise<void>;
  readonly #models: EngineCacheSurroundings["models"];
  readonly #folder = new StateFolder();
  #diskFolder: StateFolder | null = null;
  #history = new PromptHistory();
  readonly #watchers = new ChangeWatchers();
  readonly #shortfalls = new Map<string, number>();
  #pinned: readonly string[] = [];
  #settings: StoreSettings | null = null;
  #store: KvStore | null = null;

  constructor({ fixedCosts, freeMemory }: EngineCacheOptions, { whenIdle, models }: EngineCacheSurroundings) {
    this.#fixedCosts = fixedCosts ?? null;
    this.#freeMemory = freeMemory ?? null;
    this.#whenIdle = whenIdle;
    this.#models = models;
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

  /** In place of what the machine says of its memory; `null`: ask. */
  get givenMemory(): (() => FreeMemory) | null {
    return this.#freeMemory;
  }

  /** False where opening there would close another store. */
  isOpenAt(cacheFolder: string): boolean {
    return this.#store === null || this.#store.path === join(cacheFolder, cacheFileName);
  }

  /** Also again: what is different is applied. Another folder only with no model in memory. */
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
      others: noOtherModels,
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

  /** See rememberedConversations. */
  get conversations(): string[] {
    return rememberedConversations(this.#store, this.#history);
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
    this.#watchers.changed();
  }

  /** Sends the state now and when it changed, not more often than four times a second, until the signal is aborted. */
  async watch(send: (state: CacheState) => void, signal: AbortSignal): Promise<void> {
    await this.#watchers.watch(() => this.#state(), send, signal);
  }

  /** The same of the models in memory. */
  async watchModels(send: (models: CacheState["models"]) => void, signal: AbortSignal): Promise<void> {
    await this.#watchers.watch(() => this.described, send, signal);
  }

  /** The models in memory. */
  get described(): CacheState["models"] {
    const { all, active } = this.#models();
    return all.map((session) => residentModel(session, session === active));
  }

  #state(): CacheState {
    const { active } = this.#models();
    return cacheState({
      cache: active?.cache ?? null,
      models: this.described,
      bytesPerToken: active?.bytesPerToken ?? 0,
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
