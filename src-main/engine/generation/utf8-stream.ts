const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const nothing = new Uint8Array(0);

/**
 * Turns bytes that arrive in arbitrary pieces into text. Owns the bytes of one character that is not complete yet.
 * Bytes that can never become a character give U+FFFD; an incomplete character is kept back, never shown.
 */
export class Utf8Stream {
  #tail: Uint8Array = nothing;

  /** Text of the characters that are complete now. */
  push(bytes: Uint8Array): string {
    const all = this.#tail.length === 0 ? bytes : joined(this.#tail, bytes);
    const end = all.length - incompleteTailLength(all);
    this.#tail = end === all.length ? nothing : all.slice(end);
    return end === 0 ? "" : decoder.decode(all.subarray(0, end));
  }

  /** No character has begun that is not complete. */
  get isWhole(): boolean {
    return this.#tail.length === 0;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** How many of the last bytes begin a character whose rest is still to come. */
function incompleteTailLength(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return characterLength(byte) > length ? length : 0;
  }
  return 0;
}

/** Bytes of the character that this lead byte begins; 1 for bytes that begin none. */
function characterLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 1;
}
