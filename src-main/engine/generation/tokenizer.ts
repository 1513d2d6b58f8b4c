/**
 * What generation needs of a model's vocabulary. The adapter in engine/llama/ implements it.
 *
 * There is no `detokenize` on purpose: text is made from the bytes of the single tokens (`bytesOf`), which is exact for
 * every split of a character and for every vocabulary. Detokenizing whole lists is not: llama.cpp drops the leading
 * space of a SentencePiece list, and with `clean_spaces` (the default of many byte-level vocabularies) it removes
 * spaces before punctuation, so that its text is no longer what the tokens say.
 */
export interface Tokenizer {
  /**
   * Ids of `text`, without any token the text does not spell: never adds BOS or EOS by itself.
   * `special: true` reads the texts of control tokens as these tokens; with `false` they are ordinary text.
   * A leading space that a SentencePiece vocabulary prefixes is left as the library does it.
   */
  tokenize(text: string, options: { readonly special: boolean }): number[];

  /**
   * The UTF-8 bytes the token contributes to text, often a part of a character only; none for control and unknown
   * tokens. Of a SentencePiece vocabulary the leading space is kept. See token-bytes.ts, which makes them from a
   * token's text and attributes. Called once a token while decoding: look it up, do not compute it again.
   */
  bytesOf(token: number): Uint8Array;

  /** The id is in the vocabulary. Ids kept with a conversation may come from another model. */
  has(token: number): boolean;

  isEndOfGeneration(token: number): boolean;

  /** Text of the BOS and EOS tokens as a chat template writes them; empty where the model has none. */
  readonly bosText: string;
  readonly eosText: string;

  /** The model expects BOS before its prompt; whoever builds the prompt adds it where the template has not. */
  readonly addsBos: boolean;

  /** Texts of all control and unknown tokens: what `special: true` reads as more than ordinary text. */
  readonly specialTexts: readonly string[];

  /** Texts of all user-defined tokens: the library reads these as one token whatever `special` says. */
  readonly userDefinedTexts: readonly string[];
}
