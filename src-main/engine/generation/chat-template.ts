import type { PromptMessage, Tool } from "../../contract/engine-contract.ts";
import { RepriseError } from "../../contract/errors.ts";
import type { TemplateInUse, TemplateProblem } from "../../contract/model.ts";
import { arrangeMessages, type TemplateTraits } from "./arrange-messages.ts";
import { chooseFallback, type ChatMessage } from "./fallback-formats.ts";
import { compileJinja, type JinjaLimits } from "./jinja.ts";
import { strftime } from "./strftime.ts";
import { reasonWithLine, TemplateError, toTemplateError } from "./template-error.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { TimeIsOver } from "./within-time.ts";

export interface ChatTemplate extends Pick<TemplateInUse, "template" | "templateFormat" | "templateProblems"> {
  /** A sentence: why it is not the one that was asked for, and which it is instead. `null` where it is that one. */
  readonly reason: string | null;
  /** Texts the answer must end before, beside those the user asks for. */
  readonly stopStrings: readonly string[];
  /** Text that holds every control text the template writes: its source, or an example of its output. */
  readonly wording: string;
  /** The messages in the form `render` takes them. */
  readonly arrange: (messages: readonly PromptMessage[]) => readonly PromptMessage[];
  /** The prompt up to where the answer begins. Throws TEMPLATE_FAILED. */
  readonly render: Render;
}

interface ChatTemplateSource {
  /** The Jinja template in the model's file; `null` if it has none. */
  readonly source: string | null;
  /** The user's own, in place of it. */
  readonly override?: string | null;
  readonly tokenizer: Tokenizer;
  /** For templates that write the date. */
  readonly now?: () => Date;
}

type Render = (messages: readonly ChatMessage[], tools?: readonly Tool[]) => string;

const example: readonly ChatMessage[] = [
  { role: "user", content: "ExampleQuestionOne" },
  { role: "assistant", content: "ExampleAnswer" },
  { role: "user", content: "ExampleQuestionTwo" },
];
const exampleSystem: ChatMessage = { role: "system", content: "ExampleSystem" };

/**
 * How to say that there are no tools. Templates are written for `none`; some only work where the name is not defined,
 * some only with an empty list.
 */
const noTools: readonly Readonly<Record<string, unknown>>[] = [{ tools: null }, {}, { tools: [] }];

/**
 * The user's template, else the one in the model's file: the first that passes a test rendering. Where none does, the
 * fallback that suits the vocabulary.
 */
export function loadChatTemplate({ source, override = null, tokenizer, now }: ChatTemplateSource): ChatTemplate {
  const candidates = [
    { from: "override" as const, text: override },
    { from: "model" as const, text: source },
  ];
  const problems: TemplateProblem[] = [];
  for (const { from, text } of candidates) {
    if (text === null) continue;
    try {
      const working = workingTemplate(text, tokenizer, now);
      const reason = problems.length === 0 ? null : `${whyNot(problems, source)}, so Reprise uses the one in its file.`;
      return { ...working, template: from, templateFormat: null, templateProblems: problems, reason };
    } catch (caught) {
      const { message, line } = toTemplateError(caught);
      problems.push({ from, reason: message, line });
    }
  }
  return fallbackTemplate(tokenizer, problems, { source, hint: source ?? override ?? "" });
}

/** A template that is being written: nothing takes its place. Throws TemplateError where it does not work. */
export function draftTemplate(source: string, from: "override" | "model", tokenizer: Tokenizer): ChatTemplate {
  const working = workingTemplate(source, tokenizer);
  return { ...working, template: from, templateFormat: null, templateProblems: [], reason: null };
}

type Working = Pick<ChatTemplate, "stopStrings" | "wording" | "arrange" | "render">;

/** A template that passes the test rendering. Throws TemplateError where it does not. */
function workingTemplate(source: string, tokenizer: Tokenizer, now = () => new Date()): Working {
  const run = compileJinja(source);
  const common = {
    add_generation_prompt: true,
    bos_token: tokenizer.bosText,
    eos_token: tokenizer.eosText,
    documents: null,
    strftime_now: (format: unknown) => strftime(now(), String(format)),
  };
  const candidates = noTools.map((none): Render => (messages, tools = []) => {
    const offered = tools.length === 0 ? none : { tools };
    return run({ ...common, ...offered, messages }, limitsFor(messages, tools));
  });
  const render = candidates.find(passesTest) ?? explainFailure(candidates);
  const traits = traitsOf(render);
  return {
    stopStrings: [],
    wording: source,
    arrange: (messages) => arrangeMessages(messages, traits),
    render: (messages, tools) => renderOrExplain(render, messages, tools),
  };
}

function passesTest(render: Render): boolean {
  return renders(render, example) && renders(render, example.slice(0, 1));
}

/** Throws what the first candidate fails with. */
function explainFailure([candidate]: readonly Render[]): never {
  candidate?.(example);
  candidate?.(example.slice(0, 1));
  throw new TemplateError("it leaves out messages", null);
}

function fallbackTemplate(
  tokenizer: Tokenizer,
  problems: readonly TemplateProblem[],
  { source, hint }: { readonly source: string | null; readonly hint: string },
): ChatTemplate {
  const format = chooseFallback([...tokenizer.specialTexts, ...tokenizer.userDefinedTexts], hint);
  const traits: TemplateTraits = { takesSystemRole: format.takesSystemRole, takesRepeatedRoles: true };
  const render: Render = (messages) => format.render(messages, tokenizer.eosText);
  return {
    template: "fallback",
    templateFormat: format.name,
    templateProblems: [...problems],
    reason: `${whyNot(problems, source)}, so Reprise writes the conversation in the ${format.name} format instead.`,
    stopStrings: format.stopStrings,
    wording: render([exampleSystem, ...example]),
    arrange: (messages) => arrangeMessages(messages, traits),
    render,
  };
}

/** The beginning of a sentence: why none of the templates before was taken. */
function whyNot(problems: readonly TemplateProblem[], source: string | null): string {
  const clauses = problems.map(({ from, reason, line }) => {
    const detail = reasonWithLine(new TemplateError(reason, line));
    if (from === "override") return `The chat template that was set for this model does not work (${detail})`;
    return `${problems.length > 1 ? "the" : "The"} chat template in this model's file does not work (${detail})`;
  });
  const none = problems.length === 0 ? "This model's file has no chat template" : "its file has none";
  return [...clauses, ...(source === null ? [none] : [])].join(", and ");
}

function traitsOf(render: Render): TemplateTraits {
  const [question] = example;
  const repeated = question === undefined ? [] : [question, ...example.slice(-1)];
  return {
    takesSystemRole: renders(render, [exampleSystem, ...example]),
    takesRepeatedRoles: renders(render, repeated),
  };
}

/** The template takes these messages: it raises nothing and leaves none of them out. */
function renders(render: Render, messages: readonly ChatMessage[]): boolean {
  try {
    return writesAll(render(messages), messages);
  } catch (caught) {
    // It would take as long the next time.
    if (caught instanceof TimeIsOver) throw caught;
    // Raising is how a template says that it does not take such messages: this answers the question.
    return false;
  }
}

function writesAll(text: string, messages: readonly ChatMessage[]): boolean {
  return messages.every(({ content }) => text.includes(content));
}

/** Far above what honest templates need (some 100 steps a message), and still over within seconds. */
function limitsFor(messages: readonly ChatMessage[], tools: readonly Tool[]): JinjaLimits {
  const toolsLength = JSON.stringify(tools).length;
  const contentLength = messages.reduce((sum, { content }) => sum + content.length, toolsLength);
  return {
    maxSteps: 1_000_000 + 5_000 * messages.length + 4 * contentLength,
    maxLength: 1_000_000 + 4 * contentLength,
    maxMs: 2_000,
  };
}

function renderOrExplain(render: Render, ...given: Parameters<Render>): string {
  try {
    return render(...given);
  } catch (caught) {
    const error = toTemplateError(caught);
    throw new RepriseError(
      "TEMPLATE_FAILED",
      `This model's chat template cannot write the conversation as a prompt: ${reasonWithLine(error)}. ` +
        "Your messages are kept; change the last one, or choose another model, and send again.",
      { reason: error.message, line: error.line },
      { cause: caught },
    );
  }
}
