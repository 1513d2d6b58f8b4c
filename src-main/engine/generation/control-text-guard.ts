/**
 * Keeps texts of control tokens that stand in a message (`<|im_end|>` typed by a user, found in a pasted page) from
 * being read as these tokens. Such a text is broken by a mark after its first character; the prompt is later split at
 * the marks and its pieces tokenized apart, so that no piece holds a control text but the template's own.
 */
import { RepriseError } from "../../contract/errors.ts";
import type { PromptMessage, Tool } from "../../contract/engine-contract.ts";

const firstMark = 0xe000;
const lastMark = 0xf8ff;

interface ControlTexts {
  readonly specialTexts: readonly string[];
  readonly userDefinedTexts: readonly string[];
  /** Text of the chat template: which user-defined tokens it uses as structure. */
  readonly wording: string;
}

export class ControlTextGuard {
  readonly #inAnswers: RegExp | null;
  readonly #inOthers: RegExp | null;

  constructor({ specialTexts, userDefinedTexts, wording }: ControlTexts) {
    const special = specialTexts.filter(isBreakable);
    // Other user-defined tokens (HTML tags, runs of blanks) are ordinary vocabulary, and so are `<think>` and its like
    // in answers, which templates look for.
    const structural = userDefinedTexts.filter(
      (text) => isBreakable(text) && /[^\p{L}\p{N}\s]/u.test(text) && wording.includes(text),
    );
    this.#inAnswers = anyOf(special);
    this.#inOthers = anyOf([...special, ...structural]);
  }

  /** The message's text with a mark inside every control text. */
  protect({ role, content }: PromptMessage, mark: string): string {
    return broken(content, role === "assistant" ? this.#inAnswers : this.#inOthers, mark);
  }

  /** The same for all texts of tools. */
  protectTools(tools: readonly Tool[], mark: string): Tool[] {
    const protect = (value: Tool[string]): Tool[string] => {
      if (typeof value === "string") return broken(value, this.#inOthers, mark);
      if (Array.isArray(value)) return value.map(protect);
      return typeof value === "object" && value !== null ? protectEntries(value) : value;
    };
    const protectEntries = (tool: Tool): Tool =>
      Object.fromEntries(
        Object.entries(tool).map(([name, value]) => [broken(name, this.#inOthers, mark), protect(value)]),
      );
    return tools.map(protectEntries);
  }
}

function broken(text: string, pattern: RegExp | null, mark: string): string {
  if (pattern === null) return text;
  const pieces: string[] = [];
  let start = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const end = match.index + firstCharacter(match[0]).length;
    pieces.push(text.slice(start, end));
    start = end;
    // Another control text may begin inside this one.
    pattern.lastIndex = end;
  }
  return [...pieces, text.slice(start)].join(mark);
}

/** A private-use character that none of the texts holds. */
export function chooseMark(texts: readonly string[]): string {
  for (let code = firstMark; code <= lastMark; code += 1) {
    const mark = String.fromCharCode(code);
    if (!texts.some((text) => text.includes(mark))) return mark;
  }
  throw new RepriseError(
    "INVALID_INPUT",
    "This conversation contains every character of Unicode's private-use area, of which Reprise needs one for itself. " +
      "Nothing was lost; take some of them out and send again.",
    { reason: "no private-use character is free" },
  );
}

/** Texts of one character cannot be broken, and blank ones are no control texts. */
function isBreakable(text: string): boolean {
  return text.trim() !== "" && firstCharacter(text).length < text.length;
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}

function anyOf(texts: readonly string[]): RegExp | null {
  return texts.length === 0 ? null : new RegExp(texts.map(literally).join("|"), "gu");
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
