import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import { isSameComputation, isSameMessage, messageAt, tokensOfMessage, type PromptRecord } from "./prompt-record.ts";

/**
 * What changed, found in this order. All but the first three and the last two are told by the first token that differs.
 *
 * - first-turn: there is no earlier prompt.
 * - model-switched: other weights.
 * - settings-changed: the same weights, but cells of another kind.
 * - regenerated: the earlier prompt and its answer begin with this whole prompt: the same question, or an earlier one,
 *   is answered once more.
 * - continues: it begins with the whole earlier prompt and its answer.
 * - template-changed: another template, or the same one given other options; or the template's own words around equal
 *   messages differ (a date it writes, blanks it takes out).
 * - system-prompt-changed: another system message, or one more or less.
 * - tools-changed: other tools.
 * - overflow: more or fewer of the oldest messages are left out.
 * - branch: the last message differs, or the earlier prompt has messages where this one ends.
 * - history-edited: a message before the last differs in its content or role.
 * - thinking-stripped: an answer's thoughts are no longer written out; its content is the same.
 * - retokenized: a message has the same text, and other tokens.
 */
type DivergenceKind =
  | "first-turn"
  | "continues"
  | "regenerated"
  | "branch"
  | "history-edited"
  | "system-prompt-changed"
  | "tools-changed"
  | "template-changed"
  | "thinking-stripped"
  | "retokenized"
  | "overflow"
  | "model-switched"
  | "settings-changed";

export interface Divergence {
  readonly kind: DivergenceKind;
  /** The first token that is not the earlier prompt's, or has no cells that could be the same. */
  readonly tokenIndex: number;
  /** The last tokens before it, equal on both sides. */
  readonly before: readonly number[];
  /** The first tokens from it on, in this prompt. */
  readonly after: readonly number[];
  /** What the earlier prompt has there instead; empty after another model, whose tokens mean something else. */
  readonly replaced: readonly number[];
}

export interface DivergenceContext {
  /** What tokens spell, control tokens included. */
  readonly textOf: (tokens: readonly number[]) => string;
}

const shownTokens = 8;

/** How a prompt differs from the nearest earlier one of its conversation (see nearestPrompt). */
export function divergenceOf(
  previous: PromptRecord | null,
  prompt: PromptRecord,
  { textOf }: DivergenceContext,
): Divergence {
  const isComparable = previous !== null && isSameComputation(previous, prompt);
  const tokenIndex = isComparable ? commonPrefixLength(previous.tokens, prompt.tokens) : 0;
  const isSameVocabulary = previous?.modelFingerprint === prompt.modelFingerprint;
  return {
    kind: kindOf(previous, prompt, tokenIndex, textOf),
    tokenIndex,
    before: prompt.tokens.slice(Math.max(0, tokenIndex - shownTokens), tokenIndex),
    after: prompt.tokens.slice(tokenIndex, tokenIndex + shownTokens),
    replaced: isSameVocabulary ? previous.tokens.slice(tokenIndex, tokenIndex + shownTokens) : [],
  };
}

function kindOf(
  previous: PromptRecord | null,
  prompt: PromptRecord,
  tokenIndex: number,
  textOf: DivergenceContext["textOf"],
): DivergenceKind {
  if (previous === null) return "first-turn";
  if (previous.modelFingerprint !== prompt.modelFingerprint) return "model-switched";
  if (previous.settingsFingerprint !== prompt.settingsFingerprint) return "settings-changed";
  if (tokenIndex === prompt.tokens.length) return "regenerated";
  if (tokenIndex === previous.tokens.length) return "continues";
  if (previous.templateId !== prompt.templateId) return "template-changed";
  if (systemHash(previous) !== systemHash(prompt)) return "system-prompt-changed";
  if (previous.toolsHash !== prompt.toolsHash) return "tools-changed";
  if (previous.droppedMessages !== prompt.droppedMessages) return "overflow";
  return messageKind(previous, prompt, tokenIndex, textOf);
}

/** Of prompts that differ within their messages. */
function messageKind(
  previous: PromptRecord,
  prompt: PromptRecord,
  tokenIndex: number,
  textOf: DivergenceContext["textOf"],
): DivergenceKind {
  const firstMessage = Math.min(
    ...[previous, prompt].map(({ messages, answerStart }) => messages[0]?.start ?? answerStart),
  );
  if (tokenIndex < firstMessage) return "template-changed";
  const now = messageAt(prompt, tokenIndex);
  const was = messageAt(previous, tokenIndex);
  if (now === null) return previous.answerStart === prompt.answerStart ? "template-changed" : "branch";
  if (was === null || !isSameMessage(was, now)) return now === prompt.messages.at(-1) ? "branch" : "history-edited";
  if (was.hasThoughts && !now.hasThoughts) return "thinking-stripped";
  const [textNow, textBefore] = [textOf(tokensOfMessage(prompt, now)), textOf(tokensOfMessage(previous, was))];
  // What ends an answer's turn is not among the tokens that were left of it.
  const isAnswer = was.start >= previous.answerStart;
  const isSameText = isAnswer ? textNow.startsWith(textBefore) : textNow === textBefore;
  return isSameText ? "retokenized" : "template-changed";
}

function systemHash({ messages }: PromptRecord): string | null {
  const [first] = messages;
  return first?.role === "system" ? first.contentHash : null;
}
