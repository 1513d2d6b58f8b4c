/** Marks words in what is drawn, without touching it. Does nothing where the browser knows no highlights. */
import type { WordSpan } from "./first-difference.ts";

const highlightName = "first-difference";

/** `spans`: places in the text of each element; what was marked before is no longer. */
export function markWords(
  elements: readonly (HTMLElement | null | undefined)[],
  spans: readonly (WordSpan | null)[],
): void {
  if (typeof Highlight === "undefined" || !("highlights" in CSS)) return;
  const ranges = elements.flatMap((element, index) => {
    const span = spans[index] ?? null;
    const range = !element || span === null ? null : rangeOf(element, span);
    return range === null ? [] : [range];
  });
  if (ranges.length === 0) CSS.highlights.delete(highlightName);
  else CSS.highlights.set(highlightName, new Highlight(...ranges));
}

/** What an element shows, with a blank between pieces of its own, so that words of different lines stay apart. */
export function shownText(element: HTMLElement): string {
  return textNodes(element)
    .map(({ data }) => data)
    .join(" ");
}

function rangeOf(element: HTMLElement, { start, end }: WordSpan): Range | null {
  let before = 0;
  for (const node of textNodes(element)) {
    if (start < before + node.data.length) {
      const range = new Range();
      range.setStart(node, Math.max(0, start - before));
      range.setEnd(node, Math.min(node.data.length, end - before));
      return range;
    }
    before += node.data.length + 1;
  }
  return null;
}

function textNodes(element: HTMLElement): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  return nodes;
}
