import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import type { PromptArchive } from "./prompt-archive.ts";
import { isSameComputation, type PromptRecord } from "./prompt-record.ts";
import type { RememberedPrompt } from "./stored-prompt.ts";

export interface PromptHistoryOptions {
  readonly maxTokens?: number;
  readonly maxRecords?: number;
  /** Where it is kept through a restart; what is there is known from the start. */
  readonly archive?: Pick<PromptArchive, "list" | "add" | "remove" | "forget"> | null;
}

/** What was asked before, by conversation. It owns the records, and forgets the conversation longest untouched first. */
export class PromptHistory {
  readonly #maxTokens: number;
  readonly #maxRecords: number;
  readonly #archive: PromptHistoryOptions["archive"];
  /** The conversation asked last is the last. */
  readonly #conversations = new Map<string, readonly RememberedPrompt[]>();
  #tokens = 0;
  #lastId = 0;

  constructor({ maxTokens = 1_000_000, maxRecords = 24, archive = null }: PromptHistoryOptions = {}) {
    this.#maxTokens = maxTokens;
    this.#maxRecords = maxRecords;
    this.#archive = archive;
    for (const prompt of archive?.list() ?? []) this.#remember(prompt);
  }

  /** Oldest first. */
  of(conversationId: string): readonly PromptRecord[] {
    return this.remembered(conversationId).map(({ record }) => record);
  }

  /** The same, with what was computed for each. */
  remembered(conversationId: string): readonly RememberedPrompt[] {
    return this.#conversations.get(conversationId) ?? [];
  }

  get conversationIds(): readonly string[] {
    return [...this.#conversations.keys()];
  }

  /** `computed`: which of its tokens; fewer than it has where some were there, or a prefill was stopped. */
  add(conversationId: string, record: PromptRecord, computed: RememberedPrompt["computed"]): void {
    const prompt = { id: this.#lastId + 1, conversationId, record, computed };
    this.#archive?.add(prompt);
    this.#remember(prompt);
  }

  forget(conversationId: string): void {
    this.#drop(conversationId);
    this.#archive?.forget(conversationId);
  }

  /** The longest beginning of a prompt that is known to have been computed, by whichever conversation. */
  computedBefore(prompt: PromptRecord): number {
    return [...this.#conversations.values()].flat().reduce((longest, { record, computed }) => {
      if (!isSameComputation(record, prompt)) return longest;
      return Math.max(longest, Math.min(commonPrefixLength(record.tokens, prompt.tokens), computed.to));
    }, 0);
  }

  #remember(prompt: RememberedPrompt): void {
    const { id, conversationId } = prompt;
    this.#lastId = Math.max(this.#lastId, id);
    const prompts = [...this.#drop(conversationId), prompt];
    const kept = prompts.slice(-this.#maxRecords);
    this.#archiveNoMore(prompts.slice(0, -this.#maxRecords));
    this.#conversations.set(conversationId, kept);
    this.#tokens += tokensOf(kept);
    for (const oldest of this.#conversations.keys()) {
      if (this.#tokens <= this.#maxTokens || oldest === conversationId) return;
      this.#archiveNoMore(this.#drop(oldest));
    }
  }

  #drop(conversationId: string): readonly RememberedPrompt[] {
    const prompts = this.remembered(conversationId);
    this.#tokens -= tokensOf(prompts);
    this.#conversations.delete(conversationId);
    return prompts;
  }

  #archiveNoMore(prompts: readonly RememberedPrompt[]): void {
    for (const { id } of prompts) this.#archive?.remove(id);
  }
}

function tokensOf(prompts: readonly RememberedPrompt[]): number {
  return prompts.reduce((sum, { record }) => sum + record.tokens.length, 0);
}
