/**
 * The echo engine's cache: counts of words instead of cells and blocks, by conversation. What is stored is in a file of
 * the cache folder, so that another engine process finds it; an entry that is no number is a damaged block,
 * `null` none at all: only that the conversation asked something is remembered.
 */
import { EventEmitter, once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CacheState, SelfTestResult, VerifyResult } from "../../src-main/contract/cache.ts";
import type { CacheOptions } from "../../src-main/contract/engine-contract.ts";
import { RepriseError } from "../../src-main/contract/errors.ts";

const bytesPerWord = 10;
const defaultBudget = 8_000_000;

export function storedWordsPath(cacheFolder: string): string {
  return join(cacheFolder, "kv.db");
}

interface Reuse {
  readonly fromResident: number;
  readonly fromStore: number;
  readonly preparedTokens: number;
}

export class EchoCache {
  readonly #contextTokens: number;
  readonly #changes = new EventEmitter();
  #options: CacheOptions | null = null;
  #stored: Record<string, unknown> = {};
  #isLoaded = false;
  readonly #inPlace = new Map<string, number>();
  readonly #drafts = new Map<string, string>();

  constructor(contextTokens: number) {
    this.#contextTokens = contextTokens;
  }

  open(options: CacheOptions): void {
    this.#options = options;
    const path = storedWordsPath(options.cacheFolder);
    this.#stored = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>) : {};
    this.#changed();
  }

  loaded(isLoaded: boolean): void {
    this.#isLoaded = isLoaded;
    this.#inPlace.clear();
    this.#drafts.clear();
    this.#changed();
  }

  async *watch(signal: AbortSignal): AsyncGenerator<CacheState> {
    while (!signal.aborted) {
      const changed = once(this.#changes, "change", { signal });
      yield this.#state();
      await changed.catch(() => undefined);
    }
  }

  configure(store: CacheOptions["store"]): void {
    this.#options = { ...this.#open(), store };
    this.#changed();
  }

  pin(pinned: string[]): void {
    this.#options = { ...this.#open(), pinned };
    this.#changed();
  }

  warm(conversationId: string): number {
    const tokens = this.#words(conversationId);
    if (tokens > 0) this.#inPlace.set(conversationId, tokens);
    this.#changed();
    return tokens;
  }

  /** What it has of a prompt of so many words. */
  known(conversationId: string, promptTokens: number): { residentTokens: number; storedTokens: number } {
    const residentTokens = Math.min(this.#inPlace.get(conversationId) ?? 0, promptTokens);
    return { residentTokens, storedTokens: Math.min(this.#words(conversationId), promptTokens) };
  }

  draft(conversationId: string, text: string): void {
    this.#drafts.set(conversationId, text);
    this.#changed();
  }

  /** What a prompt of so many words, of which the last message is `text`, finds. */
  reuse(conversationId: string, text: string, promptTokens: number): Reuse {
    const draft = this.#drafts.get(conversationId) ?? "";
    const preparedTokens = draft !== "" && text.startsWith(draft) ? draft.split(" ").length : 0;
    const inPlace = this.#inPlace.get(conversationId) ?? 0;
    const fromStore = inPlace > 0 ? 0 : Math.min(this.#words(conversationId), promptTokens - preparedTokens);
    return { fromResident: Math.min(inPlace + preparedTokens, promptTokens - fromStore), fromStore, preparedTokens };
  }

  turnEnded(conversationId: string, words: number): void {
    this.#drafts.delete(conversationId);
    this.#inPlace.set(conversationId, words);
    if (this.#open().store.isEnabled) this.#save({ ...this.#stored, [conversationId]: words });
    this.#changed();
  }

  clear(): void {
    this.#open();
    this.#save({});
  }

  get conversations(): string[] {
    return Object.keys(this.#stored);
  }

  forget(conversationId: string): void {
    this.#inPlace.delete(conversationId);
    this.#drafts.delete(conversationId);
    this.#save(Object.fromEntries(Object.entries(this.#stored).filter(([id]) => id !== conversationId)));
  }

  verify(): VerifyResult {
    this.#open();
    const blocks = Object.values(this.#stored);
    return {
      blocks: blocks.length,
      damaged: blocks.filter((words) => typeof words !== "number").length,
      failure: null,
    };
  }

  selfTest(conversationId: string): SelfTestResult {
    const tokens = this.#words(conversationId);
    const isSame = tokens === 0 || !Object.values(this.#stored).some((words) => typeof words !== "number");
    const candidate = (text: string, logit: number) => ({ text, fresh: logit, restored: logit });
    return {
      tokens,
      replayedTokens: tokens,
      verdict: tokens === 0 ? "nothing-stored" : isSame ? "same" : "different",
      isSameChoice: isSame,
      maxDifference: isSame ? 0.001 : 1,
      scale: 4,
      tie: isSame ? { first: candidate("one", 4), second: candidate("two", 3.999), distance: 0.001 } : null,
      restoreMs: 1,
      computeMs: 2,
    };
  }

  #open(): CacheOptions {
    if (this.#options === null) throw new RepriseError("ENGINE_FAILED", "No cache is open.", { reason: "no cache" });
    return this.#options;
  }

  #words(conversationId: string): number {
    const words = this.#stored[conversationId];
    return typeof words === "number" ? words : 0;
  }

  #save(stored: Record<string, unknown>): void {
    this.#stored = stored;
    writeFileSync(storedWordsPath(this.#open().cacheFolder), JSON.stringify(stored));
    this.#changed();
  }

  #changed(): void {
    this.#changes.emit("change");
  }

  #state(): CacheState {
    const { store, pinned } = this.#open();
    const tokens = Object.keys(this.#stored).reduce((total, id) => total + this.#words(id), 0);
    const parked = [...this.#inPlace.values()].reduce((total, words) => total + words, 0);
    const usedBytes = tokens * bytesPerWord;
    return {
      models: [],
      cells: this.#isLoaded
        ? { total: this.#contextTokens, active: 0, parked, shared: 0, free: this.#contextTokens - parked }
        : null,
      bytesPerToken: this.#isLoaded ? bytesPerWord : 0,
      runs: [...this.#drafts].map(([conversationId, text]) => ({
        cells: text.split(" ").length,
        holders: [{ conversationId, role: "side" as const }],
      })),
      store: {
        isEnabled: store.isEnabled,
        failure: null,
        startedAnew: null,
        budgetBytes: store.budgetBytes ?? defaultBudget,
        usedBytes,
        fileBytes: usedBytes,
        blocks: Object.keys(this.#stored).length,
        tokens,
        sharedBlocks: 0,
        savedBySharingBytes: 0,
        writtenBytes: usedBytes,
        pendingBytes: 0,
      },
      residency: this.#residency(),
      evictions: [],
      shortfalls: {},
      pinned,
    };
  }

  #residency(): CacheState["residency"] {
    const stored = Object.keys(this.#stored).filter((id) => this.#stored[id] !== null);
    const ids = new Set([...this.#inPlace.keys(), ...stored]);
    return [...ids].map((conversationId) => {
      const inPlace = this.#inPlace.get(conversationId);
      const stored = this.#words(conversationId);
      return {
        conversationId,
        state: inPlace === undefined ? "stored" : "in-place",
        tokens: inPlace ?? stored,
        storedBytes: stored * bytesPerWord,
      };
    });
  }
}
