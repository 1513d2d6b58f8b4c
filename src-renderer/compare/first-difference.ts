/** Where two texts part: in each, from where to where its first other word reaches, and how many words are the same before. */
export interface FirstDifference {
  readonly sameWords: number;
  /** `null` where the text ends there. */
  readonly words: readonly [WordSpan | null, WordSpan | null];
}

export interface WordSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * `null` where they are equal. `isOver`: nothing more comes; a word at the end of a text that is still being written is
 * no other one yet.
 */
export function firstDifference(
  texts: readonly [string, string],
  isOver: readonly [boolean, boolean],
): FirstDifference | null {
  const [one, other] = [wordsOf(texts[0]), wordsOf(texts[1])];
  const count = Math.max(one.length, other.length);
  for (let index = 0; index < count; index += 1) {
    const [left, right] = [one[index], other[index]];
    if (left?.word === right?.word) continue;
    const isOpen =
      (!isOver[0] && index >= one.length - 1 && isBegun(left?.word, right?.word)) ||
      (!isOver[1] && index >= other.length - 1 && isBegun(right?.word, left?.word));
    return isOpen ? null : { sameWords: index, words: [left ?? null, right ?? null] };
  }
  return null;
}

/** Whether the word may yet become the other one. */
function isBegun(word = "", other = ""): boolean {
  return other.startsWith(word);
}

function wordsOf(text: string): (WordSpan & { readonly word: string })[] {
  return Array.from(text.matchAll(/\S+/gu), ({ 0: word, index }) => ({ word, start: index, end: index + word.length }));
}
