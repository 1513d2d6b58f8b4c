import { LlamaVocabularyType, type LlamaModel } from "node-llama-cpp";
import { tokenBytes, type TokenKind, type VocabularyStyle } from "../generation/token-bytes.ts";
import type { Tokenizer } from "../generation/tokenizer.ts";
import { nativeModel, type NativeModel } from "./native.ts";

const nothing = new Uint8Array(0);

/** llama.cpp's LLAMA_TOKEN_ATTR_*, in the order in which its own detokenizer asks for them. */
const attributeKinds: readonly (readonly [bit: number, kind: TokenKind])[] = [
  [1 << 3, "control"],
  [1 << 0, "unknown"],
  [1 << 4, "user-defined"],
  [1 << 2, "normal"],
  [1 << 5, "byte"],
];

/**
 * A loaded model's vocabulary. It owns the bytes of the tokens looked up so far. The library ends the process when it is
 * asked about an id outside its vocabulary, and ids also come from stored conversations: here such an id has no bytes.
 */
export class Vocabulary implements Tokenizer {
  readonly bosText: string;
  readonly eosText: string;
  readonly addsBos: boolean;
  readonly specialTexts: readonly string[];
  readonly userDefinedTexts: readonly string[];
  readonly size: number;
  readonly #native: NativeModel;
  readonly #style: VocabularyStyle;
  readonly #spellsItself: boolean;
  readonly #bytes: Uint8Array[] = [];

  constructor(model: LlamaModel) {
    this.#native = nativeModel(model);
    this.size = model.fileInfo.metadata.tokenizer.ggml.tokens.length;
    this.#style = styleOf(this.#native, model);
    this.#spellsItself = model.vocabularyType === LlamaVocabularyType.rwkv;
    this.bosText = model.tokens.bosString ?? "";
    this.eosText = model.tokens.eosString ?? "";
    this.addsBos = model.tokens.shouldPrependBosToken;
    const texts = this.#textsByKind();
    this.specialTexts = [...(texts.get("control") ?? []), ...(texts.get("unknown") ?? [])];
    this.userDefinedTexts = texts.get("user-defined") ?? [];
  }

  has(token: number): boolean {
    return Number.isInteger(token) && token >= 0 && token < this.size;
  }

  tokenize(text: string, { special }: { readonly special: boolean }): number[] {
    return text === "" ? [] : Array.from(this.#native.tokenize(text, special));
  }

  bytesOf(token: number): Uint8Array {
    return this.has(token) ? (this.#bytes[token] ??= this.#computeBytes(token)) : nothing;
  }

  /** What tokens spell, control tokens as their names, for a person to read. */
  textOf(tokens: readonly number[]): string {
    const parts = tokens
      .filter((token) => this.has(token))
      .map((token) => {
        const bytes = this.bytesOf(token);
        return bytes.length > 0 ? bytes : Buffer.from(this.#native.getTokenString(token));
      });
    return Buffer.concat(parts).toString("utf8");
  }

  isEndOfGeneration(token: number): boolean {
    return this.has(token) && this.#native.isEogToken(token);
  }

  #computeBytes(token: number): Uint8Array {
    // RWKV's own escapes are known to the library alone; characters split across its tokens are lost there.
    if (this.#spellsItself) return new TextEncoder().encode(this.#native.detokenize(Uint32Array.of(token), false));
    return tokenBytes(this.#native.getTokenString(token), kindOf(this.#native.getTokenAttributes(token)), this.#style);
  }

  /** Of all but the ordinary tokens. */
  #textsByKind(): ReadonlyMap<TokenKind, string[]> {
    const texts = new Map<TokenKind, string[]>();
    for (let token = 0; token < this.size; token += 1) {
      const kind = kindOf(this.#native.getTokenAttributes(token));
      if (kind === "normal" || kind === "byte") continue;
      const sameKind = texts.get(kind) ?? [];
      texts.set(kind, sameKind);
      // There may be a hundred thousand of them.
      sameKind.push(this.#native.getTokenString(token));
    }
    return texts;
  }
}

function kindOf(attributes: number): TokenKind {
  return attributeKinds.find(([bit]) => (attributes & bit) !== 0)?.[1] ?? "unused";
}

/** Most BPE vocabularies write bytes as letters; some are made from SentencePiece, and show it at the first space. */
function styleOf(native: NativeModel, model: LlamaModel): VocabularyStyle {
  if (model.vocabularyType !== LlamaVocabularyType.bpe) return "sentence-piece";
  const texts = Array.from(native.tokenize("a b", false), (token) => native.getTokenString(token));
  return texts.some((text) => text.includes("\u2581")) ? "sentence-piece" : "byte-level";
}
