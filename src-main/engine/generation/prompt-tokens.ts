/**
 * Makes token ids from the messages of a conversation. Owns the pieces of the last prompt with their ids, so that a
 * conversation that goes on tokenizes only what is new; the result never depends on this memory.
 */
import type { PromptMessage, Tool } from "../../contract/engine-contract.ts";
import { learnAnchors, type AnswerAnchors } from "./answer-anchors.ts";
import type { ChatTemplate } from "./chat-template.ts";
import { ControlTextGuard, chooseMark } from "./control-text-guard.ts";
import { cutPrompt, type GivenMessage, type PromptPiece } from "./cut-prompt.ts";
import { messageSpans } from "./message-spans.ts";
import { TextContinuation } from "./text-continuation.ts";
import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import type { RenderedMessage } from "./message-spans.ts";
import type { Tokenizer } from "./tokenizer.ts";

export interface Prompt {
  readonly tokens: number[];
  /** What the template wrote. */
  readonly text: string;
  /** Where its messages lie in the tokens. Not needed to compute, so it is made when somebody asks. */
  readonly spans: () => ReturnType<typeof messageSpans>;
}

export class PromptTokens {
  readonly #tokenizer: Tokenizer;
  readonly #template: ChatTemplate;
  readonly #guard: ControlTextGuard;
  readonly #continuation: TextContinuation;
  readonly #anchors: AnswerAnchors;
  #known: ReadonlyMap<string, readonly number[]> = new Map();

  constructor(tokenizer: Tokenizer, template: ChatTemplate) {
    this.#tokenizer = tokenizer;
    this.#template = template;
    const { specialTexts, userDefinedTexts } = tokenizer;
    this.#guard = new ControlTextGuard({ specialTexts, userDefinedTexts, wording: template.wording });
    this.#continuation = new TextContinuation(tokenizer);
    this.#anchors = learnAnchors(template);
  }

  /**
   * The prompt up to where the answer begins. If its text continues an earlier prompt and the answer to it, its tokens
   * continue the earlier prompt's tokens and the answer's. Throws TEMPLATE_FAILED.
   */
  build(messages: readonly PromptMessage[], tools: readonly Tool[] = []): Prompt {
    const arranged = this.#template.arrange(messages);
    const texts = [this.#template.wording, JSON.stringify(tools), ...arranged.map(({ content }) => content)];
    const mark = chooseMark(texts);
    const given = arranged.map((message) => this.#give(message, mark));
    const written = given.map(({ role, content }) => ({ role, content }));
    const text = this.#template.render(written, this.#guard.protectTools(tools, mark));
    const { anchors } = this.#anchors;
    const { pieces, ends } = cutPrompt({ text, messages: given, anchors, mark }, this.#tokenizer);
    const plainText = text.replaceAll(mark, "");
    const known = new Map<string, readonly number[]>();
    const parts = pieces.map((piece, index) =>
      piece.kind === "tokens" ? piece.tokens : this.#tokensOf(piece.text, { mark, continues: index > 0 }, known),
    );
    this.#known = known;
    const bos = this.#missingBos(plainText);
    const tokensBefore = (position: number) => bos.length + this.#countBefore(position, pieces, parts, mark);
    const rendered = arranged.map(({ role, content }, index) => ({ role, content, end: ends[index] ?? text.length }));
    return {
      tokens: [...bos, ...parts.flat()],
      text: plainText,
      spans: () => messageSpans(text, withSystem(rendered, messages, text), tokensBefore),
    };
  }

  /** How many tokens the text before a position has; one that reaches over it does not count. */
  #countBefore(
    position: number,
    pieces: readonly PromptPiece[],
    parts: readonly (readonly number[])[],
    mark: string,
  ): number {
    let start = 0;
    let count = 0;
    for (const [index, piece] of pieces.entries()) {
      const tokens = parts[index] ?? [];
      if (start + piece.text.length > position) {
        if (piece.kind === "tokens") return count + this.#countSpelling(piece.text.slice(0, position - start), tokens);
        const head = this.#tokensOf(piece.text.slice(0, position - start), { mark, continues: index > 0 }, new Map());
        return count + commonPrefixLength(head, tokens);
      }
      start += piece.text.length;
      count += tokens.length;
    }
    return count;
  }

  /** Without control texts, and an answer without the blanks that the template writes before it anyway. */
  #give(message: PromptMessage, mark: string): GivenMessage {
    const { role, tokens } = message;
    const { lead } = this.#anchors;
    const original = this.#guard.protect(message, mark);
    const isDoubled = role === "assistant" && original.startsWith(lead);
    return { role, tokens, original, content: isDoubled ? original.slice(lead.length) : original };
  }

  #tokensOf(
    text: string,
    { mark, continues }: { mark: string; continues: boolean },
    known: Map<string, readonly number[]>,
  ): readonly number[] {
    return text.split(mark).flatMap((part, index) => {
      const startsPrompt = !continues && index === 0;
      const key = `${startsPrompt ? "start" : "rest"}:${part}`;
      const tokens =
        known.get(key) ??
        this.#known.get(key) ??
        (startsPrompt ? this.#tokenizer.tokenize(part, { special: true }) : this.#continuation.tokenize(part));
      known.set(key, tokens);
      return tokens;
    });
  }

  #countSpelling(text: string, tokens: readonly number[]): number {
    let missing = Buffer.byteLength(text);
    const count = tokens.findIndex((token) => (missing -= this.#tokenizer.bytesOf(token).length) < 0);
    return count < 0 ? tokens.length : count;
  }

  #missingBos(text: string): readonly number[] {
    const { addsBos, bosText } = this.#tokenizer;
    if (!addsBos || bosText === "" || text.trimStart().startsWith(bosText)) return [];
    return this.#tokenizer.tokenize(bosText, { special: true });
  }
}

/** A template without a system role has the system prompt in the first message: it is told apart again. */
function withSystem(
  rendered: readonly RenderedMessage[],
  messages: readonly PromptMessage[],
  text: string,
): readonly RenderedMessage[] {
  const [system] = messages;
  if (system?.role !== "system" || rendered[0]?.role === "system") return rendered;
  const at = text.indexOf(system.content);
  if (system.content.trim() === "" || at < 0) return rendered;
  return [{ role: "system", content: system.content, end: at + system.content.length }, ...rendered];
}
