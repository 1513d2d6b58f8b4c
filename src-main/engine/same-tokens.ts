import type { GgufHeader } from "../gguf/gguf-header.ts";

/**
 * Whether two files give the same text the same tokens, as far as their headers tell: all they say of tokenizer and
 * template is the same. Of lists only the lengths are looked at, so this is good for counting, not for reusing.
 */
export function hasSameTokens(one: GgufHeader, other: GgufHeader): boolean {
  const [mine, theirs] = [tokenizerOf(one), tokenizerOf(other)];
  return mine.length > 0 && JSON.stringify(mine) === JSON.stringify(theirs);
}

function tokenizerOf({ metadata }: GgufHeader): [string, unknown][] {
  return [...metadata]
    .filter(([key]) => key.startsWith("tokenizer.") || key === "general.architecture")
    .map(([key, value]): [string, unknown] => [key, typeof value === "object" ? value.length : value])
    .sort(([first], [second]) => (first < second ? -1 : 1));
}
