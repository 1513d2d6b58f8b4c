/**
 * The text of one answer while it is written, token by token. Owns what may not be shown yet: parts of characters, and
 * the beginning of what may become a stop string. Text leaves it together with the tokens that spell it, so that
 * whoever keeps both has, at any moment, ids that match the text exactly.
 */
import { StopMatcher } from "./stop-matcher.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { Utf8Stream } from "./utf8-stream.ts";

/** Text that is final, and the tokens that spell exactly this text. */
export interface AnswerDelta {
  readonly text: string;
  readonly tokens: readonly number[];
}

export interface AnswerRest extends AnswerDelta {
  /** The tokens the whole answer consists of; `null` where its text ends inside a token. */
  readonly answerTokens: readonly number[] | null;
}

interface WaitingToken {
  readonly token: number;
  /** UTF-16 units of the whole text after this token. */
  readonly end: number;
  /** The token ends where a character ends. */
  readonly isWhole: boolean;
}

export class AnswerText {
  readonly #tokenizer: Pick<Tokenizer, "bytesOf">;
  readonly #stops: StopMatcher;
  readonly #characters = new Utf8Stream();
  readonly #releasedTokens: number[] = [];
  #waiting: WaitingToken[] = [];
  #scanned = 0;
  #releasable = 0;
  #text = "";
  #releasedLength = 0;
  #decodedLength = 0;
  #cut: number | null = null;

  constructor(tokenizer: Pick<Tokenizer, "bytesOf">, stopStrings: readonly string[]) {
    this.#tokenizer = tokenizer;
    this.#stops = new StopMatcher(stopStrings);
  }

  /** A stop string is complete: the answer ends before it, and further tokens are ignored. */
  get hitStopString(): boolean {
    return this.#cut !== null;
  }

  /** Takes the next token (never the one that ends the generation). Returns what can be shown now, if anything. */
  push(token: number): AnswerDelta | null {
    if (this.#cut !== null) return null;
    const text = this.#characters.push(this.#tokenizer.bytesOf(token));
    this.#text += text;
    this.#decodedLength += text.length;
    this.#waiting.push({ token, end: this.#decodedLength, isWhole: this.#characters.isWhole });
    this.#cut = this.#stops.push(text);
    if (this.#cut !== null) return null;
    this.#scanUpTo(this.#decodedLength - this.#stops.heldLength);
    return this.#releasable === 0 ? null : this.#release();
  }

  /**
   * Ends the answer and returns the text not shown yet: up to the stop string if there was one, else all complete
   * characters. Its tokens fall short of its text where that ends inside a token.
   */
  finish(): AnswerRest {
    const end = this.#cut ?? this.#decodedLength;
    const rest = this.#text.slice(0, end - this.#releasedLength);
    this.#scanUpTo(end);
    const { tokens } = this.#release();
    return { text: rest, tokens, answerTokens: this.#releasedLength === end ? [...this.#releasedTokens] : null };
  }

  /** Finds the last token that ends within the first `limit` units and where a character ends. `limit` only grows. */
  #scanUpTo(limit: number): void {
    for (; this.#scanned < this.#waiting.length; this.#scanned += 1) {
      const waiting = this.#waiting[this.#scanned];
      if (waiting === undefined || waiting.end > limit) return;
      if (waiting.isWhole) this.#releasable = this.#scanned + 1;
    }
  }

  #release(): AnswerDelta {
    const released = this.#waiting.slice(0, this.#releasable);
    const length = (released.at(-1)?.end ?? this.#releasedLength) - this.#releasedLength;
    const delta = { text: this.#text.slice(0, length), tokens: released.map(({ token }) => token) };
    this.#releasedTokens.push(...delta.tokens);
    this.#waiting = this.#waiting.slice(this.#releasable);
    this.#scanned -= this.#releasable;
    this.#releasable = 0;
    this.#text = this.#text.slice(length);
    this.#releasedLength += length;
    return delta;
  }
}
