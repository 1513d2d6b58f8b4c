import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import { isSameComputation, type PromptRecord } from "./prompt-record.ts";

interface Remembered {
  readonly record: PromptRecord;
  /** How many of its tokens were computed; fewer than it has where a prefill was stopped. */
  readonly computedTokens: number;
}

/** What was asked before, by conversation. It owns the records, and forgets the conversation longest untouched first. */
export class PromptHistory {
  readonly #maxTokens: number;
  readonly #maxRecords: number;
  /** The conversation asked last is the last. */
  readonly #conversations = new Map<string, readonly Remembered[]>();
  #tokens = 0;

  constructor({ maxTokens = 1_000_000, maxRecords = 24 } = {}) {
    this.#maxTokens = maxTokens;
    this.#maxRecords = maxRecords;
  }

  /** Oldest first. */
  of(conversationId: string): readonly PromptRecord[] {
    return (this.#conversations.get(conversationId) ?? []).map(({ record }) => record);
  }

  add(conversationId: string, record: PromptRecord, computedTokens: number): void {
    const records = [...(this.#conversations.get(conversationId) ?? []), { record, computedTokens }];
    this.forget(conversationId);
    const kept = records.slice(-this.#maxRecords);
    this.#conversations.set(conversationId, kept);
    this.#tokens += tokensOf(kept);
    for (const oldest of this.#conversations.keys()) {
      if (this.#tokens <= this.#maxTokens || oldest === conversationId) return;
      this.forget(oldest);
    }
  }

  forget(conversationId: string): void {
    this.#tokens -= tokensOf(this.#conversations.get(conversationId) ?? []);
    this.#conversations.delete(conversationId);
  }

  /** The longest beginning of a prompt that is known to have been computed, by whichever conversation. */
  computedBefore(prompt: PromptRecord): number {
    return [...this.#conversations.values()].flat().reduce((longest, { record, computedTokens }) => {
      if (!isSameComputation(record, prompt)) return longest;
      return Math.max(longest, Math.min(commonPrefixLength(record.tokens, prompt.tokens), computedTokens));
    }, 0);
  }
}

function tokensOf(records: readonly Remembered[]): number {
  return records.reduce((sum, { record }) => sum + record.tokens.length, 0);
}
