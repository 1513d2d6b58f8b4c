const mostCharacters = 3_000;
const mostLines = 30;

/** The beginning of a long message, or `null` where it need not be cut. */
export function shortened(text: string): string | null {
  const lines = text.slice(0, mostCharacters).split("\n", mostLines + 1);
  if (text.length <= mostCharacters && lines.length <= mostLines) return null;
  return `${lines.slice(0, mostLines).join("\n").trimEnd()}…`;
}
