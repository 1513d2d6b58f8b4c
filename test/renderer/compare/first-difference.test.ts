import { describe, expect, test } from "vitest";
import { firstDifference } from "../../../src-renderer/compare/first-difference.ts";

const over = [true, true] as const;

/** The words in which they differ, as they stand in the texts. */
function words(one: string, other: string, isOver: readonly [boolean, boolean] = over) {
  const difference = firstDifference([one, other], isOver);
  if (difference === null) return null;
  const [left, right] = difference.words;
  const cut = (text: string, span: typeof left) => (span === null ? null : text.slice(span.start, span.end));
  return [difference.sameWords, cut(one, left), cut(other, right)];
}

describe("texts that are written to their end", () => {
  test("differ in the first word that is another one", () => {
    expect(words("a fine day", "a cold day")).toEqual([1, "fine", "cold"]);
    expect(words("Ja.", "Nein.")).toEqual([0, "Ja.", "Nein."]);
    expect(words("one word", "one words")).toEqual([1, "word", "words"]);
  });

  test("are the same whatever stands between the words", () => {
    expect(words("a\n\nfine  day", "a fine day")).toBeNull();
    expect(words("", "")).toBeNull();
  });

  test("differ where one ends", () => {
    expect(words("a fine", "a fine day")).toEqual([2, null, "day"]);
    expect(words("a", "")).toEqual([0, "a", null]);
  });
});

describe("texts that are still being written", () => {
  test("do not differ in what may yet become the same", () => {
    expect(words("a fi", "a fine day", [false, true])).toBeNull();
    expect(words("a fine", "a fine day", [false, false])).toBeNull();
    expect(words("", "a", [false, false])).toBeNull();
  });

  test("differ in what cannot", () => {
    expect(words("a fo", "a fine day", [false, false])).toEqual([1, "fo", "fine"]);
    expect(words("a fine", "a fine day", [true, false])).toEqual([2, null, "day"]);
  });
});
