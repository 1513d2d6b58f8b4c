/** A path as it was typed or pasted: file managers like to put it in quotes. */
export function withoutQuotes(path: string): string {
  return path.trim().replace(/^(["'])(.*)\1$/, "$2");
}
