import type { PreviewToken, ShownPrompt } from "../../contract/prompt-preview.ts";
import type { Prompt } from "./prompt-tokens.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { Utf8Stream } from "./utf8-stream.ts";

interface NamedTokens extends Tokenizer {
  /** What tokens spell, control tokens as their names. */
  textOf(tokens: readonly number[]): string;
}

/** A prompt as a person can look at it. `wording`: of its template, which tells what of the vocabulary it uses as structure. */
export function showPrompt(prompt: Prompt, tokenizer: NamedTokens, wording: string): ShownPrompt {
  const { messages, answerStart } = prompt.spans();
  const starts = [...messages.map(({ start }) => start), answerStart];
  return {
    text: prompt.text,
    tokens: shownTokens(prompt.tokens, tokenizer, wording),
    messages: messages.map(({ role, start }, index) => ({ role, start, end: starts[index + 1] ?? start })),
    answerStart,
  };
}

function shownTokens(tokens: readonly number[], tokenizer: NamedTokens, wording: string): PreviewToken[] {
  const structure = new Set(
    tokenizer.userDefinedTexts.filter((text) => /[^\p{L}\p{N}\s]/u.test(text) && wording.includes(text)),
  );
  const known = new Map<number, PreviewToken>();
  const characters = new Utf8Stream();
  return tokens.map((id) => {
    const bytes = tokenizer.bytesOf(id);
    const wasWhole = [characters.isWhole];
    characters.push(bytes);
    if (bytes.length > 0 && [...wasWhole, characters.isWhole].includes(false))
      return { id, text: Buffer.from(bytes).toString("hex").toUpperCase(), kind: "bytes" };
    const shown = known.get(id) ?? namedToken(id, bytes.length === 0);
    known.set(id, shown);
    return shown;
  });

  function namedToken(id: number, isControl: boolean): PreviewToken {
    const text = tokenizer.textOf([id]);
    return { id, text, kind: isControl || structure.has(text) ? "control" : "text" };
  }
}
