const longest = 60;

/** A name from a file, which may be anything, as part of a sentence: no control characters, and not too long. */
export function shownText(name: string): string {
  const text = name.replaceAll(/[\p{C}\u{fffd}]/gu, "?");
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
