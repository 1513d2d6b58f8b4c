/**
 * Runs a Jinja template that came with a model file, which is untrusted: every evaluated node is counted and every
 * string and list bounded, so that a template can neither loop for ever nor fill the memory of the engine.
 */
import { Environment, Interpreter } from "@huggingface/jinja";
import { parseJinja, statementLines, type StatementNode } from "./jinja-lines.ts";
import { TemplateError, toTemplateError } from "./template-error.ts";
import { TimeIsOver, withinTime } from "./within-time.ts";

const maxSourceLength = 256 * 1024;
/** The library removes `{% generation %}` tags with a pattern that takes quadratic time on runs of blanks. */
const longBlankRun = /\s{2000}/;
const maxListLength = 100_000;
const maxParseMs = 2_000;
/** Nodes within nodes, a macro's within those of its call: far below where the process itself runs out of stack. */
const maxDepth = 500;

export interface JinjaLimits {
  /** Evaluated nodes of the syntax tree, an eighth more for each unit of their values, and four for each turn of a loop. */
  readonly maxSteps: number;
  /** UTF-16 units of the output and of every string on the way to it. */
  readonly maxLength: number;
  /** For what no step counts: a filter that writes out lists within lists. */
  readonly maxMs: number;
}

type JinjaRender = (variables: Readonly<Record<string, unknown>>, limits: JinjaLimits) => string;

/** Throws TemplateError when the template cannot be read, as does the function it returns when it cannot be rendered. */
export function compileJinja(source: string): JinjaRender {
  if (source.length > maxSourceLength || longBlankRun.test(source))
    throw new TemplateError("it is too large for a chat template", null);
  const program = withinTime(maxParseMs, () => parseJinja(source));
  return (variables, limits) => {
    const environment = new Scope();
    for (const [name, value] of Object.entries({ ...globals, ...variables })) environment.set(name, value);
    const interpreter = new BoundedInterpreter(environment, limits);
    try {
      const { value } = withinTime(limits.maxMs, () => interpreter.run(program));
      if (typeof value === "string") return value;
    } catch (caught) {
      throw renderError(caught, () => interpreter.lineOf(caught, statementLines(source, program)));
    }
    throw new TemplateError("it gave no text", null);
  };
}

function renderError(caught: unknown, line: () => number | null): TemplateError {
  if (caught instanceof TimeIsOver) return caught;
  const reason =
    caught instanceof RangeError ? "it makes too long a text, or goes too deep" : toTemplateError(caught).message;
  return new TemplateError(reason, line(), { cause: caught });
}

/** What every template of the transformers library can use. */
const globals = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  raise_exception: (message: unknown): never => {
    throw new Error(String(message));
  },
  range: boundedRange,
};

function boundedRange(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!(length <= maxListLength)) throw new Error("it asked for too long a range");
  return Array.from({ length }, (_, index) => start + index * step);
}

interface Evaluated {
  readonly value: unknown;
}

/** A node of the syntax tree; `iterable` in loops only, `lhs` where that is filtered by a condition. */
interface SyntaxNode extends StatementNode {
  readonly iterable?: SyntaxNode;
  readonly lhs?: SyntaxNode;
}

// The library's declarations import without file extensions, which Node's resolution refuses: its types are said here.
const Scope = Environment as unknown as new () => { set(name: string, value: unknown): void };
const BaseInterpreter = Interpreter as unknown as new (environment: unknown) => {
  run(program: unknown): Evaluated;
  evaluate(node: SyntaxNode | undefined, environment: unknown): Evaluated;
};

class BoundedInterpreter extends BaseInterpreter {
  readonly #limits: JinjaLimits;
  /** Nodes whose value a loop runs over: the loop's own turns are not evaluated as nodes. */
  readonly #loopedOver = new WeakSet<SyntaxNode>();
  #steps = 0;
  #depth = 0;
  /** Through which nodes, from the innermost out, the last error came. */
  #failure: { readonly error: unknown; readonly nodes: StatementNode[] } = { error: null, nodes: [] };

  constructor(environment: unknown, limits: JinjaLimits) {
    super(environment);
    this.#limits = limits;
  }

  override evaluate(node: SyntaxNode | undefined, environment: unknown): Evaluated {
    this.#depth += 1;
    try {
      return this.#evaluate(node, environment);
    } catch (caught) {
      if (this.#failure.error !== caught) this.#failure = { error: caught, nodes: [] };
      if (node !== undefined) this.#failure.nodes.push(node);
      throw caught;
    } finally {
      this.#depth -= 1;
    }
  }

  /** Where an error was raised; `null` where it came from nowhere in the template. */
  lineOf(error: unknown, lines: ReadonlyMap<StatementNode, number>): number | null {
    const node =
      this.#failure.error === error ? this.#failure.nodes.find((candidate) => lines.has(candidate)) : undefined;
    return node === undefined ? null : (lines.get(node) ?? null);
  }

  #evaluate(node: SyntaxNode | undefined, environment: unknown): Evaluated {
    this.#spend(1);
    if (this.#depth > maxDepth) throw new Error("it goes too deep");
    if (node?.type === "For" && node.iterable !== undefined) this.#loopedOver.add(loopedOver(node.iterable));
    const result = super.evaluate(node, environment);
    const size = sizeOf(result.value);
    if (typeof result.value === "string" && size > this.#limits.maxLength) throw new Error("its output is too long");
    if (typeof result.value !== "string" && size > maxListLength) throw new Error("it made too long a list");
    this.#spend(size / 8 + (node !== undefined && this.#loopedOver.has(node) ? size * 4 : 0));
    return result;
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#limits.maxSteps) throw new Error("it took too many steps");
  }
}

function loopedOver(iterable: SyntaxNode): SyntaxNode {
  return iterable.type === "SelectExpression" && iterable.lhs !== undefined ? iterable.lhs : iterable;
}

function sizeOf(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : 0;
}
