import type { Tokenizer } from "./tokenizer.ts";
import { Utf8Stream } from "./utf8-stream.ts";

/** The leading tokens of an answer that a stretch of the prompt spells, and how much of it they spell. */
interface SpelledTokens {
  readonly tokens: readonly number[];
  /** In UTF-16 units, marks included. */
  readonly length: number;
}

interface AnswerStretch {
  /** The answer's text as it stands in the prompt. */
  readonly text: string;
  /** Occurs in the text without being part of it. */
  readonly mark: string;
}

type Spelling = Pick<Tokenizer, "bytesOf" | "has">;

/**
 * How many of an answer's tokens its stretch of the prompt spells: all, or the leading ones. The ids may come from
 * another model; what they spell in this vocabulary decides.
 */
export function spelledTokens(stretch: AnswerStretch, tokens: readonly number[], tokenizer: Spelling): SpelledTokens {
  const plain = stretch.text.replaceAll(stretch.mark, "");
  if (wholeText(tokens, tokenizer) === plain) return { tokens, length: stretch.text.length };
  const { count, length } = leadingTokens(plain, tokens, tokenizer);
  return { tokens: tokens.slice(0, count), length: lengthWithMarks(stretch, length) };
}

/** Whether these tokens are all of this vocabulary, and spell this text. */
export function spells(text: string, tokens: readonly number[], tokenizer: Spelling): boolean {
  return wholeText(tokens, tokenizer) === text;
}

/** What the tokens spell; `null` if they are not all of this vocabulary, end inside a character, or spell nothing. */
function wholeText(tokens: readonly number[], tokenizer: Spelling): string | null {
  if (!tokens.every((token) => tokenizer.has(token))) return null;
  const characters = new Utf8Stream();
  const text = characters.push(Buffer.concat(tokens.map((token) => tokenizer.bytesOf(token))));
  return text !== "" && characters.isWhole ? text : null;
}

function leadingTokens(
  text: string,
  tokens: readonly number[],
  tokenizer: Spelling,
): { readonly count: number; readonly length: number } {
  const characters = new Utf8Stream();
  let position = 0;
  let spelled = { count: 0, length: 0 };
  for (const [index, token] of tokens.entries()) {
    const bytes = tokenizer.bytesOf(token);
    const part = characters.push(bytes);
    // A token without text fits anywhere: only a whole answer that matches is reason to believe in it.
    if (bytes.length === 0 || !text.startsWith(part, position)) break;
    position += part.length;
    if (characters.isWhole) spelled = { count: index + 1, length: position };
  }
  return spelled;
}

function lengthWithMarks({ text, mark }: AnswerStretch, length: number): number {
  let position = 0;
  for (let passed = 0; passed < length;) {
    const isMark = text.startsWith(mark, position);
    position += isMark ? mark.length : 1;
    if (!isMark) passed += 1;
  }
  return position;
}
