import { hash } from "node:crypto";
import type { PromptMessage } from "../../contract/engine-contract.ts";
import type { MessageSpan } from "../kv/prompt-record.ts";
import { hasThoughts, withoutThoughts } from "./thoughts.ts";

/** Where a message's text ends in the rendered prompt; its start is where the one before it ends. */
export interface RenderedMessage {
  readonly role: PromptMessage["role"];
  /** As the person sees it, thoughts included. */
  readonly content: string;
  /** In UTF-16 units of the rendered text. */
  readonly end: number;
}

export function contentHash(content: string): string {
  return hash("sha256", withoutThoughts(content), "hex");
}

/** `tokensBefore`: how many tokens the text before a position has. */
export function messageSpans(
  text: string,
  messages: readonly RenderedMessage[],
  tokensBefore: (position: number) => number,
): { readonly messages: readonly MessageSpan[]; readonly answerStart: number } {
  let start = 0;
  const spans = messages.map(({ role, content, end }): MessageSpan => {
    const from = start;
    start = end;
    const isThinking = role === "assistant" && hasThoughts(text.slice(from, end));
    return { role, start: tokensBefore(from), contentHash: contentHash(content), hasThoughts: isThinking };
  });
  return { messages: spans, answerStart: tokensBefore(start) };
}
