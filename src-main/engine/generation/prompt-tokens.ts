/**
 * Makes token ids from the messages of a conversation. Owns the pieces of the last prompt with their ids, so that a
 * conversation that goes on tokenizes only what is new; the result never depends on this memory.
 */
import type { PromptMessage } from "../../contract/engine-contract.ts";
import { learnAnchors, type AnswerAnchors } from "./answer-anchors.ts";
import type { ChatTemplate } from "./chat-template.ts";
import { ControlTextGuard, chooseMark } from "./control-text-guard.ts";
import { cutPrompt, type GivenMessage } from "./cut-prompt.ts";
import { TextContinuation } from "./text-continuation.ts";
import type { Tokenizer } from "./tokenizer.ts";

export interface Prompt {
  readonly tokens: number[];
  /** What the template wrote. */
  readonly text: string;
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
  build(messages: readonly PromptMessage[]): Prompt {
    const arranged = this.#template.arrange(messages);
    const mark = chooseMark([this.#template.wording, ...arranged.map(({ content }) => content)]);
    const given = arranged.map((message) => this.#give(message, mark));
    const text = this.#template.render(given.map(({ role, content }) => ({ role, content })));
    const { anchors } = this.#anchors;
    const pieces = cutPrompt({ text, messages: given, anchors, mark }, this.#tokenizer);
    const plainText = text.replaceAll(mark, "");
    const known = new Map<string, readonly number[]>();
    const tokens = pieces.flatMap((piece, index) =>
      piece.kind === "tokens" ? piece.tokens : this.#tokensOf(piece.text, { mark, continues: index > 0 }, known),
    );
    this.#known = known;
    return { tokens: [...this.#missingBos(plainText), ...tokens], text: plainText };
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

  #missingBos(text: string): readonly number[] {
    const { addsBos, bosText } = this.#tokenizer;
    if (!addsBos || bosText === "" || text.trimStart().startsWith(bosText)) return [];
    return this.#tokenizer.tokenize(bosText, { special: true });
  }
}
