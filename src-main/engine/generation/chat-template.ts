import type { PromptMessage, Tool } from "../../contract/engine-contract.ts";
import { RepriseError } from "../../contract/errors.ts";
import { arrangeMessages, type TemplateTraits } from "./arrange-messages.ts";
import { chooseFallback, type ChatMessage } from "./fallback-formats.ts";
import { compileJinja } from "./jinja.ts";
import { strftime } from "./strftime.ts";
import type { Tokenizer } from "./tokenizer.ts";

export interface ChatTemplate {
  readonly template: "model" | "fallback";
  /** A sentence: why the fallback was taken, and which. `null` for the model's own template. */
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

/** The model's own template where it passes a test rendering, else the fallback that suits its vocabulary. */
export function loadChatTemplate({ source, tokenizer, now = () => new Date() }: ChatTemplateSource): ChatTemplate {
  if (source === null) return fallbackTemplate(tokenizer, "", "This model's file has no chat template");
  try {
    return modelTemplate(source, tokenizer, now);
  } catch (caught) {
    const detail = caught instanceof Error ? caught.message : String(caught);
    return fallbackTemplate(tokenizer, source, `The chat template in this model's file does not work (${detail})`);
  }
}

function modelTemplate(source: string, tokenizer: Tokenizer, now: () => Date): ChatTemplate {
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
    template: "model",
    reason: null,
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
  throw new Error("it leaves out messages");
}

function fallbackTemplate(tokenizer: Tokenizer, brokenTemplate: string, why: string): ChatTemplate {
  const format = chooseFallback([...tokenizer.specialTexts, ...tokenizer.userDefinedTexts], brokenTemplate);
  const traits: TemplateTraits = { takesSystemRole: format.takesSystemRole, takesRepeatedRoles: true };
  const render: Render = (messages) => format.render(messages, tokenizer.eosText);
  return {
    template: "fallback",
    reason: `${why}, so Reprise writes the conversation in the ${format.name} format instead.`,
    stopStrings: format.stopStrings,
    wording: render([exampleSystem, ...example]),
    arrange: (messages) => arrangeMessages(messages, traits),
    render,
  };
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
  } catch {
    // Raising is how a template says that it does not take such messages: this answers the question.
    return false;
  }
}

function writesAll(text: string, messages: readonly ChatMessage[]): boolean {
  return messages.every(({ content }) => text.includes(content));
}

/** Far above what honest templates need (some 100 steps a message), and still over within seconds. */
function limitsFor(messages: readonly ChatMessage[], tools: readonly Tool[]): { maxSteps: number; maxLength: number } {
  const toolsLength = JSON.stringify(tools).length;
  const contentLength = messages.reduce((sum, { content }) => sum + content.length, toolsLength);
  return {
    maxSteps: 1_000_000 + 5_000 * messages.length + 4 * contentLength,
    maxLength: 1_000_000 + 4 * contentLength,
  };
}

function renderOrExplain(render: Render, ...given: Parameters<Render>): string {
  try {
    return render(...given);
  } catch (caught) {
    const reason = caught instanceof Error ? caught.message : String(caught);
    throw new RepriseError(
      "TEMPLATE_FAILED",
      `This model's chat template cannot write the conversation as a prompt: ${reason}. ` +
        "Your messages are kept; change the last one, or choose another model, and send again.",
      { reason },
      { cause: caught },
    );
  }
}
