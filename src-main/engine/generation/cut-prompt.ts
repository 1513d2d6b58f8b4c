/**
 * Cuts a rendered prompt into what must be tokenized and the answers whose tokens are known. The cuts depend only on
 * the text before them, so a conversation that goes on keeps those it had, in memory or after a restart.
 */
import type { PromptMessage } from "../../contract/engine-contract.ts";
import { withoutThoughts } from "./thoughts.ts";
import { spelledTokens } from "./spelled-tokens.ts";
import type { Tokenizer } from "./tokenizer.ts";

export type PromptPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tokens"; readonly text: string; readonly tokens: readonly number[] };

interface CutPrompt {
  /** Their texts are the prompt's. */
  readonly pieces: readonly PromptPiece[];
  /** Where each message's text ends. */
  readonly ends: readonly number[];
}

export interface GivenMessage extends Pick<PromptMessage, "role" | "tokens"> {
  /** As it was given to the template. */
  readonly content: string;
  /** As the model wrote it or the user typed it, but for marks. */
  readonly original: string;
}

interface RenderedPrompt {
  readonly text: string;
  readonly messages: readonly GivenMessage[];
  readonly anchors: readonly string[];
  readonly mark: string;
}

/**
 * A cut falls wherever an answer begins, that is where the prompt of an earlier turn ended. Behind it stand the
 * answer's own tokens, as far as the template has left its text as it was.
 */
export function cutPrompt(prompt: RenderedPrompt, tokenizer: Pick<Tokenizer, "bytesOf" | "has">): CutPrompt {
  const { text, messages, mark } = prompt;
  const pieces: PromptPiece[] = [];
  const ends: number[] = [];
  let pieceStart = 0;
  let searchStart = 0;
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1];
    const isAnswered = message.role === "user" && next?.role !== "user";
    const answerStart = isAnswered ? findAnswerStart(prompt, message.content, searchStart) : null;
    ends.push(answerStart === null ? shownEnd(text, message.content, searchStart) : questionEnd(prompt, answerStart));
    searchStart = answerStart ?? endOfContent(text, message.content, searchStart);
    if (answerStart === null) continue;
    const stretch = { text: answerAt(text, next?.original ?? "", answerStart), mark };
    const spelled = spelledTokens(stretch, next?.tokens ?? [], tokenizer);
    pieces.push({ kind: "text", text: text.slice(pieceStart, answerStart) });
    const end = answerStart + spelled.length;
    pieces.push({ kind: "tokens", text: text.slice(answerStart, end), tokens: spelled.tokens });
    pieceStart = end;
  }
  return { pieces: [...pieces, { kind: "text", text: text.slice(pieceStart) }], ends };
}

/** Behind a message's text, also where the template has taken its thoughts out. */
function shownEnd(text: string, content: string, from: number): number {
  return endOf(text, content.trim(), from) ?? endOfContent(text, withoutThoughts(content), from);
}

/** Before the words that open the answer. */
function questionEnd({ text, anchors }: RenderedPrompt, answerStart: number): number {
  const anchor = anchors.find((candidate) => text.slice(0, answerStart).endsWith(candidate)) ?? "";
  return answerStart - anchor.length;
}

/** The end of the first place where the question, trimmed by the template or not, is followed by an anchor. */
function findAnswerStart({ text, anchors }: RenderedPrompt, question: string, from: number): number | null {
  const endings = new Set([question.trimStart(), question.trim()]);
  const places = [...endings].flatMap((ending) => anchors.map((anchor) => endOf(text, ending + anchor, from)));
  const found = places.filter((place) => place !== null);
  return found.length === 0 ? null : Math.min(...found);
}

/** The answer's text as it begins there, with or without blanks at its end; empty where the template has changed it. */
function answerAt(text: string, answer: string, start: number): string {
  return [answer, answer.trimEnd()].find((candidate) => text.startsWith(candidate, start)) ?? "";
}

/** Behind this message's text, so that nothing in it is taken for a later message; `from` where it is not found. */
function endOfContent(text: string, content: string, from: number): number {
  return endOf(text, content.trim(), from) ?? from;
}

function endOf(text: string, part: string, from: number): number | null {
  const position = text.indexOf(part, from);
  return position < 0 ? null : position + part.length;
}
