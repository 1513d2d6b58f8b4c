import { createHash } from "node:crypto";
import type { MessageSpan, PromptRecord } from "../../src-main/engine/kv/prompt-record.ts";

export interface TestMessage {
  readonly role: MessageSpan["role"];
  readonly text: string;
  readonly thoughts?: string;
}

export interface TestTemplate {
  readonly id?: string;
  /** What it writes before the first message. */
  readonly preamble?: string;
  readonly tools?: string;
  /** What it writes to open an answer. */
  readonly opening?: string;
  /** Takes the blanks at the end of a message out. */
  readonly trims?: boolean;
  /** One token for each pair of equal letters. */
  readonly pairs?: boolean;
}

const control: Readonly<Record<MessageSpan["role"] | "end", number>> = {
  system: 90_001,
  user: 90_002,
  assistant: 90_003,
  tool: 90_004,
  end: 90_009,
};
const firstPair = 80_000;

/** One token for each letter; or for two equal ones, where `pairs` is set. */
function letters(text: string, pairs: boolean): number[] {
  return (text.match(pairs ? /(.)\1|./gsu : /./gsu) ?? []).map((part) => {
    const code = part.codePointAt(0) ?? 0;
    return part.length > String.fromCodePoint(code).length ? firstPair + code : code;
  });
}

export function textOf(tokens: readonly number[]): string {
  return tokens
    .map((token) => {
      if (token > 90_000) return `<${token}>`;
      return token > firstPair ? String.fromCodePoint(token - firstPair).repeat(2) : String.fromCodePoint(token);
    })
    .join("");
}

function contentHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The prompt that asks for an answer to these messages. */
export function record(
  messages: readonly TestMessage[],
  template: TestTemplate = {},
  overrides: Partial<PromptRecord> = {},
): PromptRecord {
  const { preamble = "", tools = "", opening = "", trims = false, pairs = false } = template;
  const tokens = letters(preamble + tools, pairs);
  const spans: MessageSpan[] = [];
  for (const { role, text, thoughts = "" } of messages) {
    const hasThoughts = thoughts !== "";
    spans.push({ role, start: tokens.length, contentHash: contentHash(text), hasThoughts });
    const words = (hasThoughts ? `[${thoughts}]` : "") + (trims ? text.trimEnd() : text);
    tokens.push(control[role], ...letters(words, pairs), control.end);
  }
  const answerStart = tokens.length;
  tokens.push(control.assistant, ...letters(opening, pairs));
  return {
    tokens,
    promptTokens: tokens.length,
    messages: spans,
    answerStart,
    templateId: template.id ?? "template",
    toolsHash: tools === "" ? null : contentHash(tools),
    modelFingerprint: "model",
    settingsFingerprint: "settings",
    droppedMessages: 0,
    ...overrides,
  };
}

/** What the model wrote, as it is recorded. */
export function answer(text: string, { thoughts = "", pairs = false }: { thoughts?: string; pairs?: boolean } = {}) {
  const hasThoughts = thoughts !== "";
  const tokens = letters((hasThoughts ? `[${thoughts}]` : "") + text, pairs);
  return { tokens, contentHash: contentHash(text), hasThoughts };
}
