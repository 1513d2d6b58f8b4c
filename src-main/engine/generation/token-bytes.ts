/** How a vocabulary writes bytes as text. */
export type VocabularyStyle =
  /** One printable character for each byte: GPT-2 and its heirs (llama.cpp's BPE, but for those that write U+2581). */
  | "byte-level"
  /** U+2581 for a space, `<0xE2>` for a single byte: SentencePiece, unigram, and BPE made from them. */
  | "sentence-piece";

/** A token's kind, from its attributes. */
export type TokenKind = "normal" | "byte" | "control" | "unknown" | "user-defined" | "unused";

const encoder = new TextEncoder();
const nothing = new Uint8Array(0);
const byteOfCharacter = byteLevelAlphabet();

/**
 * The bytes a token contributes to text, from the text its vocabulary keeps for it: what llama.cpp's
 * `llama_token_to_piece` writes with `special` off.
 */
export function tokenBytes(text: string, kind: TokenKind, style: VocabularyStyle): Uint8Array {
  switch (kind) {
    case "control":
    case "unknown":
    case "unused":
      return nothing;
    case "user-defined":
      return encoder.encode(text);
    case "byte":
      return singleByte(text) ?? normalBytes(text, style);
    case "normal":
      return normalBytes(text, style);
  }
}

function normalBytes(text: string, style: VocabularyStyle): Uint8Array {
  return style === "byte-level" ? byteLevelBytes(text) : encoder.encode(text.replaceAll("\u2581", " "));
}

function byteLevelBytes(text: string): Uint8Array {
  const bytes = Array.from(text, (character) => byteOfCharacter.get(character));
  // A vocabulary may hold texts outside the alphabet among its normal tokens; they stand for themselves.
  return bytes.every((byte) => byte !== undefined) ? Uint8Array.from(bytes) : encoder.encode(text);
}

function singleByte(text: string): Uint8Array | null {
  const hex = /^<0x([0-9A-Fa-f]{2})>$/.exec(text)?.[1];
  return hex === undefined ? null : Uint8Array.of(Number.parseInt(hex, 16));
}

/** GPT-2's alphabet: printable Latin-1 stands for itself, every other byte for the next free character from U+0100. */
function byteLevelAlphabet(): ReadonlyMap<string, number> {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  const others = bytes.filter((byte) => !isPrintable(byte));
  return new Map(
    bytes.map((byte) => [String.fromCodePoint(isPrintable(byte) ? byte : 0x100 + others.indexOf(byte)), byte]),
  );
}
