/** Letters as typed without care: no case, no accents. */
function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The items whose title holds every word of `query`, or that were found otherwise, in the order they came. */
export function filterConversations<Item extends { readonly id: string; readonly title: string }>(
  items: readonly Item[],
  query: string,
  isFound: (id: string) => boolean,
): readonly Item[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items.filter((item) => {
    const title = plain(item.title);
    return words.every((word) => title.includes(word)) || isFound(item.id);
  });
}
