/** From marked's loosely typed tokens to the tree that is shown. */
import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities } from "./decode-entities.ts";
import { safeUrl } from "./safe-url.ts";
import type { Block, Cell, Inline, ListItem } from "./token-tree.ts";

export function toBlocks(tokens: readonly Token[]): Block[] {
  return tokens.flatMap((token) => toBlock(token as MarkedToken));
}

function toBlock(token: MarkedToken): Block[] {
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "paragraph":
      return [{ kind: "paragraph", inlines: toInlines(token.tokens) }];
    case "text":
      return [{ kind: "line", inlines: token.tokens === undefined ? textOf(token) : toInlines(token.tokens) }];
    case "heading":
      return [{ kind: "heading", depth: token.depth, inlines: toInlines(token.tokens) }];
    case "code":
      return [{ kind: "code", language: languageOf(token), text: token.text.replace(/\n+$/, "") }];
    case "blockquote":
      return [{ kind: "quote", blocks: toBlocks(token.tokens) }];
    case "list":
      return [
        {
          kind: "list",
          start: token.ordered && token.start !== "" ? token.start : null,
          items: token.items.map(toItem),
        },
      ];
    case "table":
      return [{ kind: "table", header: token.header.map(toCell), rows: token.rows.map((row) => row.map(toCell)) }];
    case "hr":
      return [{ kind: "rule" }];
    // Not found at this place; if it were, its text would be all there is to show.
    case "html":
    case "list_item":
    case "br":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "strong":
      return [{ kind: "paragraph", inlines: textOf(token) }];
  }
}

/** The first word of a fence's info string: ```` ```python title=x ````. */
function languageOf(token: Tokens.Code): string | null {
  const word = token.lang?.trim().split(/\s/, 1)[0];
  return word === undefined || word === "" ? null : word;
}

function toItem(item: Tokens.ListItem): ListItem {
  return { checked: item.task ? (item.checked ?? false) : null, blocks: toBlocks(item.tokens) };
}

function toCell(cell: Tokens.TableCell): Cell {
  return { align: cell.align ?? "left", inlines: toInlines(cell.tokens) };
}

function toInlines(tokens: readonly Token[]): Inline[] {
  return tokens.flatMap((token) => toInline(token as MarkedToken));
}

function toInline(token: MarkedToken): Inline[] {
  switch (token.type) {
    case "strong":
      return [{ kind: "strong", inlines: toInlines(token.tokens) }];
    case "em":
      return [{ kind: "emphasis", inlines: toInlines(token.tokens) }];
    case "del":
      return [{ kind: "strike", inlines: toInlines(token.tokens) }];
    case "codespan":
      return [{ kind: "code", text: token.text }];
    case "br":
      return [{ kind: "break" }];
    case "link":
      return toLink(token);
    case "image":
      return [{ kind: "image", url: safeUrl(token.href), description: decodeEntities(token.text) }];
    case "escape":
      return [{ kind: "text", text: token.text }];
    case "checkbox":
      return [];
    case "text":
    case "html":
    case "space":
    case "def":
    case "paragraph":
    case "heading":
    case "code":
    case "blockquote":
    case "list":
    case "list_item":
    case "table":
    case "hr":
      return textOf(token);
  }
}

/** A link that must not be opened is shown as its text; an address in plain text as it was written. */
function toLink(token: Tokens.Link): Inline[] {
  const url = safeUrl(token.href);
  const inlines: Inline[] = token.autolink === true ? [{ kind: "text", text: token.text }] : toInlines(token.tokens);
  return url === null ? inlines : [{ kind: "link", url, inlines }];
}

function textOf(token: MarkedToken): Inline[] {
  const text = "text" in token ? token.text : token.raw;
  return text === "" ? [] : [{ kind: "text", text: decodeEntities(text) }];
}
