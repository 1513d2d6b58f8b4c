/** Where in a template something is: the library tells no places, so they are found again from what it has read. */
import { parse as libraryParse, tokenize as libraryTokenize } from "@huggingface/jinja";
import { TemplateError, toTemplateError } from "./template-error.ts";

/** As the library's own templates read their source. */
const blankRules = { lstrip_blocks: true, trim_blocks: true };
const generationTag = /\{%-?\s*(?:end)?generation\s*-?%\}/g;
/** Statements that go on with or end another one. */
const continuations = new Set(["else", "endif", "endfor", "endset", "endmacro", "endcall", "endfilter"]);
const blocks = new Map(["if", "for", "macro", "call", "filter", "set"].map((name) => [`end${name}`, name]));

interface Token {
  readonly type: string;
  readonly value: string;
}

// The library's declarations import without file extensions, which Node's resolution refuses: its types are said here.
const tokenize = libraryTokenize as unknown as (source: string, rules: typeof blankRules) => Token[];
const parse = libraryParse as unknown as (tokens: readonly Token[]) => StatementNode;

/** A statement of the syntax tree, as far as others may stand in it. */
export interface StatementNode {
  readonly type: string;
  readonly body?: readonly StatementNode[];
  /** What stands behind an `else`. */
  readonly alternate?: readonly StatementNode[];
  readonly defaultBlock?: readonly StatementNode[];
}

/** The syntax tree. Throws TemplateError, which says what is wrong and where. */
export function parseJinja(source: string): StatementNode {
  const tokens = readTokens(source);
  const reached = { index: 0 };
  const watched = new Proxy(tokens, {
    get(target, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) reached.index = Math.max(reached.index, Number(key));
      return Reflect.get(target, key) as unknown;
    },
  });
  try {
    return parse(watched);
  } catch (caught) {
    throw parseError(caught, source, tokens, reached.index);
  }
}

/** The line of every statement, expression and text that does not stand within another expression. */
export function statementLines(source: string, program: StatementNode): ReadonlyMap<StatementNode, number> {
  const tokens = readTokens(source);
  const lines = tokenLines(source, tokens);
  const starts = tokens.flatMap((token, index) =>
    startsStatement(token, tokens[index + 1]) ? [lines[index] ?? 1] : [],
  );
  const found = new Map<StatementNode, number>();
  const visit = (nodes: readonly StatementNode[]) => {
    for (const node of nodes) {
      found.set(node, starts[found.size] ?? 1);
      visit(node.body ?? []);
      visit(node.alternate ?? node.defaultBlock ?? []);
    }
  };
  visit(program.body ?? []);
  return found;
}

function startsStatement({ type }: Token, next: Token | undefined): boolean {
  if (type === "OpenStatement") return next !== undefined && !continuations.has(next.value);
  return type === "OpenExpression" || type === "Text" || type === "Comment";
}

function readTokens(source: string): readonly Token[] {
  try {
    return tokenize(source, blankRules);
  } catch (caught) {
    throw new TemplateError(...readProblem(source, toTemplateError(caught).message), { cause: caught });
  }
}

function readProblem(source: string, message: string): [reason: string, line: number | null] {
  if (/end of (input|comment)/.test(message)) return ["a tag is never closed", lastOpening(source)];
  return [asClause(message), firstLineThatFails(source, message)];
}

/** The reader goes from the beginning to the end: it fails with these words on whatever reaches that far. */
function firstLineThatFails(source: string, message: string): number {
  const lines = source.split("\n");
  let [low, high] = [1, lines.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (readFailure(`${lines.slice(0, middle).join("\n")}\n `) === message) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Of the tag in which the source ends: what stands before it can be read. */
function lastOpening(source: string): number | null {
  const openings = [...source.matchAll(/\{[%{#]/g)].map(({ index }) => index).slice(-triedOpenings);
  const at = openings.findLast((index) => readFailure(source.slice(0, index)) === null);
  return at === undefined ? null : lineAt(source, at);
}

const triedOpenings = 100;

function readFailure(source: string): string | null {
  try {
    tokenize(source, blankRules);
    return null;
  } catch (caught) {
    return toTemplateError(caught).message;
  }
}

function parseError(caught: unknown, source: string, tokens: readonly Token[], reached: number): TemplateError {
  const lines = tokenLines(source, tokens);
  const options = { cause: caught };
  if (caught instanceof RangeError) return new TemplateError("it is nested too deeply", null, options);
  const open = openBlock(tokens);
  if (reached >= tokens.length && open !== null)
    return new TemplateError(`{% ${open.name} %} has no {% end${open.name} %}`, lines[open.index] ?? null, options);
  const line = lines[Math.min(reached, tokens.length - 1)] ?? null;
  const stray = /^Unknown statement type: (else|end\w+)$/.exec(toTemplateError(caught).message)?.[1];
  if (stray !== undefined)
    return new TemplateError(strayReason(stray, openBlock(tokens.slice(0, reached)), lines), line, options);
  const reason = toTemplateError(caught)
    .message.replace(/^Parser Error: /, "")
    .replace(/\. \w+ !== \w+\.$/, "");
  return new TemplateError(asClause(reason), line, options);
}

function strayReason(name: string, open: ReturnType<typeof openBlock>, lines: readonly number[]): string {
  if (open === null) return `{% ${name} %} stands in no block`;
  return `{% ${name} %} stands where {% ${open.name} %} of line ${lines[open.index] ?? 1} is still open`;
}

/** The innermost block that is not closed. */
function openBlock(tokens: readonly Token[]): { readonly name: string; readonly index: number } | null {
  const open: { name: string; index: number }[] = [];
  for (const [index, { type }] of tokens.entries()) {
    const name = type === "OpenStatement" ? (tokens[index + 1]?.value ?? "") : "";
    if (blocks.get(name) === open.at(-1)?.name && open.length > 0) open.pop();
    else if ([...blocks.values()].includes(name) && !isAssignment(tokens, index)) open.push({ name, index });
  }
  return open.at(-1) ?? null;
}

/** `{% set x = 1 %}` is no block, `{% set x %}` begins one. */
function isAssignment(tokens: readonly Token[], index: number): boolean {
  if (tokens[index + 1]?.value !== "set") return false;
  const close = tokens.findIndex(({ type }, at) => at > index && type === "CloseStatement");
  return tokens.slice(index, close < 0 ? tokens.length : close).some(({ type }) => type === "Equals");
}

/** Every token stands behind the one before it, with nothing but blanks and what the reader throws away in between. */
function tokenLines(source: string, tokens: readonly Token[]): readonly number[] {
  const text = source.replaceAll(generationTag, (tag) => tag.replace(/[^\n]/g, " "));
  let position = 0;
  let [line, counted] = [1, 0];
  return tokens.map((token) => {
    const { start, end } = placeOf(token, text, position);
    for (; counted < start; counted += 1) if (text[counted] === "\n") line += 1;
    position = end;
    return line;
  });
}

function placeOf({ type, value }: Token, text: string, from: number): { readonly start: number; readonly end: number } {
  if (type === "StringLiteral") {
    const quoted = /(["'])(?:\\[\s\S]|(?!\1)[^\\])*\1/g;
    quoted.lastIndex = from;
    const match = quoted.exec(text);
    return match === null ? { start: from, end: from } : { start: match.index, end: quoted.lastIndex };
  }
  const start = text.indexOf(value, from);
  return start < 0 ? { start: from, end: from } : { start, end: start + value.length };
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

/** The library's words as a clause, with the signs that a person has typed instead of the names it has for them. */
function asClause(text: string): string {
  const named = text.replace(/\b(?:Open|Close)(?:Statement|Expression)\b/g, (name) => signs[name] ?? name);
  return `${named.slice(0, 1).toLowerCase()}${named.slice(1)}`;
}

const signs: Readonly<Record<string, string>> = {
  OpenStatement: "{%",
  CloseStatement: "%}",
  OpenExpression: "{{",
  CloseExpression: "}}",
};
