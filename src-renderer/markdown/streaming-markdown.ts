/**
 * Parses a text that grows at its end. Owns the blocks that can no longer change: they keep their identity, so that
 * nothing is drawn for them again, and only what follows them is parsed at the next call.
 */
import type { Links, Token } from "marked";
import { lexMarkdown } from "./marked-lexer.ts";
import { toBlocks } from "./to-blocks.ts";
import type { Block } from "./token-tree.ts";

export class StreamingMarkdown {
  #settledText = "";
  #settledBlocks: readonly Block[] = [];
  #settledLinks: Links = {};
  /** All definitions of the last call; a new one may turn settled text into a link. */
  #links: Links = {};

  /** The blocks of the whole text; the same as parsing it at once. */
  update(text: string): readonly Block[] {
    const source = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    if (!source.startsWith(this.#settledText)) this.#forget();
    const tail = lexMarkdown(source.slice(this.#settledText.length), this.#settledLinks);
    if (this.#settledText === "" || sameLinks(tail.links, this.#links)) return this.#settle(tail.tokens, tail.links);
    this.#forget();
    const whole = lexMarkdown(source, {});
    return this.#settle(whole.tokens, whole.links);
  }

  #forget(): void {
    this.#settledText = "";
    this.#settledBlocks = [];
    this.#settledLinks = {};
  }

  #settle(tokens: readonly Token[], links: Links): readonly Block[] {
    this.#links = { ...links };
    const count = settledCount(tokens);
    const settled = tokens.slice(0, count);
    if (count > 0) {
      this.#settledText += settled.map((token) => token.raw).join("");
      this.#settledBlocks = [...this.#settledBlocks, ...toBlocks(settled)];
      this.#settledLinks = definitions(settled, this.#settledLinks);
    }
    return [...this.#settledBlocks, ...toBlocks(tokens.slice(count))];
  }
}

/**
 * How many leading tokens no further text can change: those before a blank line that is followed by a whole line.
 * That line has decided whether it goes on with what stands before the blank line (as a list's next item does).
 */
function settledCount(tokens: readonly Token[]): number {
  const lastHasWholeLine = tokens.at(-1)?.raw.includes("\n") === true;
  for (let index = tokens.length - (lastHasWholeLine ? 1 : 2); index > 0; index -= 1) {
    if (tokens[index]?.type !== "space" && isBlankLine(tokens[index - 1], tokens[index - 2])) return index;
  }
  return 0;
}

/** A space token may also be no more than the end of the line before it. */
function isBlankLine(token: Token | undefined, before: Token | undefined): boolean {
  return token?.type === "space" && /\n[ \t]*\n/.test((before?.raw.slice(-1) ?? "\n") + token.raw);
}

function sameLinks(one: Links, other: Links): boolean {
  const labels = Object.keys(one);
  return (
    labels.length === Object.keys(other).length &&
    labels.every((label) => one[label]?.href === other[label]?.href && one[label]?.title === other[label]?.title)
  );
}

/** The first definition of a label counts. */
function definitions(tokens: readonly Token[], before: Links): Links {
  const links: Links = { ...before };
  for (const token of tokens) {
    if (token.type !== "def") continue;
    const { tag, href, title } = token as { tag: string; href: string; title: string | null };
    links[tag] ??= { href, title };
  }
  return links;
}
