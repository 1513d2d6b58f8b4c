const longestTitle = 60;

/** A title for a conversation that has none: the first line that says something, cut between two words. */
export function titleFromMessage(text: string): string {
  const line = text
    .split(/\r?\n/)
    .map((candidate) =>
      candidate
        .replace(/\s+/g, " ")
        .replace(/^[#>*\-\s]+/, "")
        .trim(),
    )
    .find((candidate) => candidate !== "");
  return line === undefined ? "" : cutBetweenWords(line);
}

function cutBetweenWords(line: string): string {
  const characters = Array.from(line);
  if (characters.length <= longestTitle) return line;
  const cut = characters.slice(0, longestTitle - 1).join("");
  const lastSpace = cut.lastIndexOf(" ");
  // One long word, a link for instance: cutting at the only early space would leave next to nothing.
  const kept = lastSpace < longestTitle / 3 ? cut : cut.slice(0, lastSpace);
  return `${kept.replace(/[\s.,;:!?-]+$/, "")}…`;
}
