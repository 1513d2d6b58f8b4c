import type { Tokenizer } from "./tokenizer.ts";

/** Texts that tokens of ordinary text do not grow together with; tried in this order. */
const leads = ["\n", ".", "0"];

/**
 * Tokenizes text that goes on from text before it. SentencePiece vocabularies put a space before whatever they
 * tokenize; here it would be a space that the prompt does not have.
 */
export class TextContinuation {
  readonly #tokenizer: Tokenizer;
  readonly #prefixesSpace: boolean;

  constructor(tokenizer: Tokenizer) {
    const [first] = tokenizer.tokenize("x", { special: false });
    this.#tokenizer = tokenizer;
    this.#prefixesSpace = first !== undefined && tokenizer.bytesOf(first)[0] === 0x20;
  }

  tokenize(text: string): readonly number[] {
    if (text === "") return [];
    if (!this.#prefixesSpace) return this.#tokenizer.tokenize(text, { special: true });
    for (const lead of leads) {
      const leadTokens = this.#tokenizer.tokenize(lead, { special: true });
      const tokens = this.#tokenizer.tokenize(lead + text, { special: true });
      if (leadTokens.every((token, index) => token === tokens[index])) return tokens.slice(leadTokens.length);
    }
    return this.#tokenizer.tokenize(text, { special: true });
  }
}
