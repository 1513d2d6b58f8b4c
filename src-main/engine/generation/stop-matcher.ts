/**
 * Finds the first stop string to become complete in text that arrives in pieces, whatever the pieces are.
 * Owns how far each stop string is matched at the end of the text so far; does not keep the text.
 */
export class StopMatcher {
  readonly #patterns: readonly Pattern[];
  readonly #matched: number[];
  #length = 0;

  /** Stop strings that are empty or hold half a surrogate pair can never be met and are left out. */
  constructor(stopStrings: readonly string[]) {
    const usable = new Set(stopStrings.filter((text) => text !== "" && text.isWellFormed()));
    this.#patterns = [...usable].map((text) => ({ text, fallbacks: fallbacksOf(text) }));
    this.#matched = this.#patterns.map(() => 0);
  }

  /**
   * Takes more text. Returns how much of all the text so far stands before a stop string that is complete now,
   * in UTF-16 units, or `null`. Of two that end at the same place the longer counts. Not to be called after a match.
   */
  push(text: string): number | null {
    if (this.#patterns.length === 0) return null;
    for (let index = 0; index < text.length; index += 1) {
      const found = this.#advance(text.charCodeAt(index));
      this.#length += 1;
      if (found > 0) return this.#length - found;
    }
    return null;
  }

  /** How much of the end of the text could still become a stop string, in UTF-16 units. */
  get heldLength(): number {
    return Math.max(0, ...this.#matched);
  }

  /** Length of the longest stop string that this unit completes; 0 if none. */
  #advance(unit: number): number {
    let found = 0;
    for (const [index, { text, fallbacks }] of this.#patterns.entries()) {
      let matched = this.#matched[index] ?? 0;
      while (matched > 0 && text.charCodeAt(matched) !== unit) matched = fallbacks[matched - 1] ?? 0;
      if (text.charCodeAt(matched) === unit) matched += 1;
      this.#matched[index] = matched;
      if (matched === text.length) found = Math.max(found, matched);
    }
    return found;
  }
}

interface Pattern {
  readonly text: string;
  /** For each prefix: the length of its longest proper prefix that is also its suffix (Knuth, Morris and Pratt). */
  readonly fallbacks: readonly number[];
}

function fallbacksOf(text: string): number[] {
  const fallbacks = [0];
  let matched = 0;
  for (let index = 1; index < text.length; index += 1) {
    while (matched > 0 && text.charCodeAt(matched) !== text.charCodeAt(index)) matched = fallbacks[matched - 1] ?? 0;
    if (text.charCodeAt(matched) === text.charCodeAt(index)) matched += 1;
    fallbacks.push(matched);
  }
  return fallbacks;
}
