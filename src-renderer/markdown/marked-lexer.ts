/** marked's lexer with the changes that untrusted, streamed text needs. */
import { getDefaults, Lexer, Tokenizer, type Links, type Token, type Tokens } from "marked";

/** Deeper nesting is shown as text: each level lexes its content again, and a model can write thousands. */
const deepestNesting = 12;

/** HTML is ordinary text here, so nothing a model writes can become markup. */
class TextOnlyTokenizer extends Tokenizer {
  #nesting = 0;

  override html(): undefined {
    return undefined;
  }

  override tag(): undefined {
    return undefined;
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    return this.#nested(() => {
      try {
        return super.blockquote(source);
      } catch (caught) {
        // marked loses its place where a lazy line ends a list inside a quote (`> 1. ` after an item); then it is text.
        if (caught instanceof TypeError) return undefined;
        throw caught;
      }
    });
  }

  override list(source: string): Tokens.List | undefined {
    return this.#nested(() => super.list(source));
  }

  /** A title must not span a blank line: text that is already shown could otherwise become a definition later. */
  override def(source: string): Tokens.Def | undefined {
    const definition = super.def(source);
    return definition !== undefined && /\n[ \t]*\n/.test(definition.raw) ? undefined : definition;
  }

  /** A long run is taken at once: marked looks for an e-mail address after each `!`, to the end of the text. */
  override inlineText(source: string): Tokens.Text | undefined {
    const run = /^!{2,}(?!\[)/.exec(source)?.[0];
    return run === undefined ? super.inlineText(source) : { type: "text", raw: run, text: run, escaped: false };
  }

  #nested<Result>(lex: () => Result | undefined): Result | undefined {
    if (this.#nesting >= deepestNesting) return undefined;
    this.#nesting += 1;
    try {
      return lex();
    } finally {
      this.#nesting -= 1;
    }
  }
}

export interface Lexed {
  readonly tokens: readonly Token[];
  /** The reference definitions known after the last token. */
  readonly links: Links;
}

/** `source` has line feeds only. `links`: definitions that stand before it. */
export function lexMarkdown(source: string, links: Links): Lexed {
  const lexer = new Lexer({ ...getDefaults(), gfm: true, tokenizer: new TextOnlyTokenizer() });
  Object.assign(lexer.tokens.links, links);
  const tokens = lexer.lex(source);
  return { tokens, links: tokens.links };
}
