import type { PreviewToken, ShownPrompt } from "../../src-main/contract/prompt-preview.ts";

/** A stretch of a prompt that belongs to one message, or to none. */
export interface PromptSection {
  /** `start`: before the first message; `answer`: the words that open the answer. */
  readonly part: ShownPrompt["messages"][number]["role"] | "start" | "answer";
  readonly tokens: readonly PreviewToken[];
}

/** In order, without those that have no tokens. */
export function promptSections({ tokens, messages, answerStart }: ShownPrompt): PromptSection[] {
  const first = messages[0]?.start ?? answerStart;
  const sections: PromptSection[] = [
    { part: "start", tokens: tokens.slice(0, first) },
    ...messages.map(({ role, start, end }) => ({ part: role, tokens: tokens.slice(start, end) })),
    { part: "answer", tokens: tokens.slice(answerStart) },
  ];
  return sections.filter((section) => section.tokens.length > 0);
}

/** With a mark where it would not be seen: at ends of lines, and for tabs. */
export function visibleText(text: string): string {
  return text.replaceAll("\r", "␍").replaceAll("\n", "↵\n").replaceAll("\t", "⇥\t");
}

/** Where a line begins and ends in a text; the last one where it has fewer. */
export function lineRange(text: string, line: number): { readonly start: number; readonly end: number } {
  const lines = text.split("\n");
  const index = Math.min(line, lines.length) - 1;
  const start = lines.slice(0, index).reduce((length, each) => length + each.length + 1, 0);
  return { start, end: start + (lines[index]?.length ?? 0) };
}
