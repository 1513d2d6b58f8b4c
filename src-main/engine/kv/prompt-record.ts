import { commonPrefixLength } from "../cache/reusable-tokens.ts";

/** One message of a prompt, as it lies in its tokens. It ends where the next begins. */
export interface MessageSpan {
  readonly role: "system" | "user" | "assistant" | "tool";
  /** The first token that the template writes for it, its header included. */
  readonly start: number;
  /** Of the content as the person sees it: without thoughts, without anything the template adds. */
  readonly contentHash: string;
  /** Whether its thoughts are written out in these tokens. */
  readonly hasThoughts: boolean;
}

/** What is remembered of a prompt, to tell later what changed. */
export interface PromptRecord {
  /** Of the prompt and, once it was answered, of the answer behind it. */
  readonly tokens: readonly number[];
  /** How many of them are the prompt. */
  readonly promptTokens: number;
  /** Ascending; the answer is the last one, once there is one. */
  readonly messages: readonly MessageSpan[];
  /** Where the words begin that open the answer: behind the last message of the prompt. */
  readonly answerStart: number;
  /** Of the template's source and what it is given beside the messages and tools. */
  readonly templateId: string;
  /** `null` without tools. */
  readonly toolsHash: string | null;
  /** Of the weights. */
  readonly modelFingerprint: string;
  /** Of what else makes cells differ: types of keys and values, flash attention, RoPE, adapters. */
  readonly settingsFingerprint: string;
  /** How many of the oldest messages were left out for the prompt to fit. */
  readonly droppedMessages: number;
}

export interface RecordedAnswer {
  /** Those whose cells were in place at the end, but not what a stop string cut off. */
  readonly tokens: readonly number[];
  readonly contentHash: string;
  readonly hasThoughts: boolean;
}

/** The record once the prompt was answered. */
export function withAnswer(prompt: PromptRecord, { tokens, contentHash, hasThoughts }: RecordedAnswer): PromptRecord {
  const answer: MessageSpan = { role: "assistant", start: prompt.answerStart, contentHash, hasThoughts };
  return { ...prompt, tokens: [...prompt.tokens, ...tokens], messages: [...prompt.messages, answer] };
}

/**
 * The earlier prompt that a new one is compared with: the one it has the longest beginning in common with. Of equal
 * ones that of the same model and settings, then the very same prompt, then the latest. `earlier`: oldest first.
 */
export function nearestPrompt(earlier: readonly PromptRecord[], prompt: PromptRecord): PromptRecord | null {
  const [nearest] = earlier
    .map((record, index) => ({ record, index, equal: commonPrefixLength(record.tokens, prompt.tokens) }))
    .sort(
      (a, b) =>
        b.equal - a.equal ||
        Number(isSameComputation(b.record, prompt)) - Number(isSameComputation(a.record, prompt)) ||
        Number(b.record.promptTokens === prompt.promptTokens) - Number(a.record.promptTokens === prompt.promptTokens) ||
        b.index - a.index,
    );
  return nearest?.record ?? null;
}

/** Whether equal tokens have equal cells. */
export function isSameComputation(a: PromptRecord, b: PromptRecord): boolean {
  return a.modelFingerprint === b.modelFingerprint && a.settingsFingerprint === b.settingsFingerprint;
}

/** Of two prompts with equal tokens before them. */
export function isSameMessage(a: MessageSpan, b: MessageSpan): boolean {
  return a.role === b.role && a.start === b.start && a.contentHash === b.contentHash;
}

/** The message in whose tokens a position lies; `null` before the first and in the words that open an answer to come. */
export function messageAt({ messages, answerStart }: PromptRecord, position: number): MessageSpan | null {
  const message = messages.findLast(({ start }) => start <= position) ?? null;
  const isAnswerToCome = position >= answerStart && message !== null && message.start < answerStart;
  return isAnswerToCome ? null : message;
}

export function tokensOfMessage({ messages, tokens, answerStart }: PromptRecord, { start }: MessageSpan): number[] {
  const next = messages.find((message) => message.start > start)?.start;
  return tokens.slice(start, next ?? (start < answerStart ? answerStart : tokens.length));
}
