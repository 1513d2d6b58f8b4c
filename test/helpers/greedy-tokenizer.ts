import type { Tokenizer } from "../../src-main/engine/generation/tokenizer.ts";

export interface GreedyVocabulary {
  /** Byte sequences beyond the 256 single bytes; a string stands for its UTF-8. */
  readonly words?: readonly (string | readonly number[])[];
  readonly special?: readonly string[];
  readonly userDefined?: readonly string[];
  readonly bos?: string;
  readonly eos?: string;
  readonly addsBos?: boolean;
  /** Puts a space before text at the start and after control tokens, as SentencePiece vocabularies do. */
  readonly prefixesSpace?: boolean;
}

/** Words that English and a few scripts need, among them halves of characters and texts that look like markup. */
export const usualWords: readonly (string | readonly number[])[] = [
  ..."hello| hello|world| world|the| the|an| an|answer| answer|question| user|user\n|assistant\n|system".split("|"),
  ..."\n\n|  |</|<|im_|end|start|of_|turn|[INST|INST]|###| User|:\n|model\n|think|.|..|, ".split("|"),
  "日本",
  "é",
  [0xe6, 0x97],
  [0xa5, 0xe6, 0x9c],
  [0xf0, 0x9f],
  [0x98, 0x80, 0x20],
];

/**
 * A small byte-level vocabulary that takes the longest match at every place, as a working stand-in for llama.cpp's:
 * ids 0 to 255 are the bytes, then come the words, the user-defined tokens and the control tokens.
 */
export class GreedyTokenizer implements Tokenizer {
  readonly bosText: string;
  readonly eosText: string;
  readonly addsBos: boolean;
  readonly specialTexts: readonly string[];
  readonly userDefinedTexts: readonly string[];
  readonly #prefixesSpace: boolean;
  readonly #bytes: readonly Uint8Array[];
  readonly #idOfBytes: ReadonlyMap<string, number>;
  readonly #idOfText: ReadonlyMap<string, number>;
  readonly #longestWord: number;
  /** Pieces of text it was asked to tokenize. */
  readonly asked: string[] = [];

  constructor(vocabulary: GreedyVocabulary = {}) {
    const { words = usualWords, special = [], userDefined = [], bos = "", eos = "" } = vocabulary;
    this.bosText = bos;
    this.eosText = eos;
    this.addsBos = vocabulary.addsBos ?? false;
    this.specialTexts = special;
    this.userDefinedTexts = userDefined;
    this.#prefixesSpace = vocabulary.prefixesSpace ?? false;
    const single = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
    const ordinary = [...single, ...words.map((word) => Buffer.from(word as string))];
    this.#bytes = [...ordinary, ...userDefined.map((text) => Buffer.from(text)), ...special.map(() => Buffer.of())];
    this.#idOfBytes = new Map(ordinary.map((bytes, id) => [keyOf(bytes), id]));
    this.#idOfText = new Map([...userDefined, ...special].map((text, index) => [text, ordinary.length + index]));
    this.#longestWord = Math.max(...ordinary.map((bytes) => bytes.length));
  }

  tokenize(text: string, { special }: { readonly special: boolean }): number[] {
    this.asked.push(text);
    const whole = [...this.userDefinedTexts, ...(special ? this.specialTexts : [])];
    const tokens: number[] = [];
    let afterSpecial = true;
    for (const fragment of fragments(text, whole)) {
      const id = this.#idOfText.get(fragment);
      const isWhole = id !== undefined && whole.includes(fragment);
      const prefix = this.#prefixesSpace && afterSpecial ? " " : "";
      tokens.push(...(isWhole ? [id] : this.#greedy(Buffer.from(prefix + fragment))));
      afterSpecial = isWhole;
    }
    return tokens;
  }

  bytesOf(token: number): Uint8Array {
    return this.#bytes[token] ?? new Uint8Array(0);
  }

  has(token: number): boolean {
    return this.#bytes[token] !== undefined;
  }

  isEndOfGeneration(token: number): boolean {
    return this.eosText !== "" && token === this.idOf(this.eosText);
  }

  idOf(text: string): number {
    const id = this.#idOfText.get(text) ?? this.#idOfBytes.get(keyOf(Buffer.from(text)));
    if (id === undefined) throw new Error(`The vocabulary has no token "${text}".`);
    return id;
  }

  /** What the tokens spell, control tokens by their text. */
  textOf(tokens: readonly number[]): string {
    const controlText = new Map(this.specialTexts.map((text) => [this.idOf(text), text]));
    return Buffer.concat(tokens.map((token) => Buffer.from(controlText.get(token) ?? this.bytesOf(token)))).toString();
  }

  #greedy(bytes: Uint8Array): number[] {
    const tokens: number[] = [];
    for (let start = 0; start < bytes.length;) {
      const [id, length] = this.#longestAt(bytes, start);
      tokens.push(id);
      start += length;
    }
    return tokens;
  }

  #longestAt(bytes: Uint8Array, start: number): [id: number, length: number] {
    for (let length = Math.min(this.#longestWord, bytes.length - start); length > 1; length -= 1) {
      const id = this.#idOfBytes.get(keyOf(bytes.subarray(start, start + length)));
      if (id !== undefined) return [id, length];
    }
    return [bytes[start] ?? 0, 1];
  }
}

function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

/** The text cut around every text that is one token, the earliest and then the longest first. */
function fragments(text: string, whole: readonly string[]): string[] {
  const sorted = whole.toSorted((first, second) => second.length - first.length);
  const found: string[] = [];
  let rest = "";
  for (let start = 0; start < text.length;) {
    const match = sorted.find((candidate) => text.startsWith(candidate, start));
    if (match === undefined) rest += text.charAt(start);
    else {
      if (rest !== "") found.push(rest);
      found.push(match);
      rest = "";
    }
    start += match?.length ?? 1;
  }
  return rest === "" ? found : [...found, rest];
}
