/** The command line's grammar: what `reprise` understands, its help, and what it says to what it does not understand. */
import { Argument, Command, CommanderError } from "commander";
import type { Sampling } from "../contract/conversation.ts";
import { common, type CommonValues, subcommand } from "./grammar-parts.ts";
import type { CacheCommandOptions, Invocation } from "./invocation.ts";
import { addModels } from "./models-grammar.ts";
import { readMaxTokens, readPort, readSeed, readTemperature } from "./option-values.ts";

/** `text` is help or the version, asked for; `mistake` is one line that says what could not be understood. */
export type Reading =
  | { readonly kind: "run"; readonly invocation: Invocation }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "mistake"; readonly line: string };

interface ChatValues extends CommonValues {
  readonly conversation: string;
  readonly model?: string;
  readonly system?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly seed?: number;
}

interface ServeValues extends CommonValues {
  readonly port: number;
  readonly open?: true;
}

/** `words` without the program's own name. */
export function readCommandLine(words: readonly string[], version: string): Reading {
  const printed: string[] = [];
  const invocations: Invocation[] = [];
  // Before any command is added: each takes this over from its parent.
  const program = new Command("reprise").exitOverride().configureOutput({
    writeOut: (text) => printed.push(text),
    writeErr: (text) => printed.push(text),
    outputError: () => undefined,
  });
  addGrammar(program, version, (invocation) => invocations.push(invocation));
  try {
    program.parse(words, { from: "user" });
  } catch (caught) {
    if (!(caught instanceof CommanderError)) throw caught;
    if (printed.length === 0) return { kind: "mistake", line: mistakeLine(caught.message) };
  }
  const invocation = invocations.at(0);
  return invocation === undefined ? { kind: "text", text: printed.join("") } : { kind: "run", invocation };
}

function mistakeLine(message: string): string {
  const line = message
    .replace(/^error: /, "")
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
  return `${line.replace(/[^.?!)]$/, "$&.")} See reprise --help.`;
}

function addGrammar(program: Command, version: string, found: (invocation: Invocation) => void): void {
  program
    .description(
      "Chat offline with GGUF models. Talks to a running Reprise, or starts what it needs and ends it again.",
    )
    .version(version)
    .helpCommand("help [command]", "explain a command");
  addChat(program, found);
  addServe(program, found);
  addShort(program, found);
  addModels(program, found);
  addCache(program, found);
  program.addHelpText(
    "after",
    "\nREPRISE_DATA and REPRISE_MODELS name the folders where --data and --models are absent.",
  );
}

function addChat(program: Command, found: (invocation: Invocation) => void): void {
  subcommand(program, "chat [message...]", "ask something; without a message: from a pipe, or as an interactive chat")
    .option("-c, --conversation <id>", "go on with a conversation (the start of its id will do)", "new")
    .option("-m, --model <id|path>", "a model from the list, or a GGUF file")
    .option("-s, --system <text>", "the system prompt; empty text removes it")
    .option("-n, --max-tokens <n>", "end each answer after this many tokens", readMaxTokens)
    .option("-t, --temperature <t>", "0 always takes the likeliest token; higher is more varied", readTemperature)
    .option("--seed <n>", "makes answers repeatable", readSeed)
    .action((words: string[], values: ChatValues) => {
      found({
        command: "chat",
        ...common(values),
        conversation: values.conversation === "new" ? null : values.conversation,
        model: values.model ?? null,
        system: values.system ?? null,
        sampling: sampling(values),
        message: words.length === 0 ? null : words.join(" "),
      });
    });
}

function addServe(program: Command, found: (invocation: Invocation) => void): void {
  subcommand(program, "serve", "serve the app to a browser on this machine, and print its address")
    .option("-p, --port <n>", "listen on this port instead of any free one", readPort, 0)
    .option("-o, --open", "open the address in the browser")
    .action((values: ServeValues) => {
      found({ command: "serve", ...common(values), port: values.port, open: values.open ?? false });
    });
}

function addShort(program: Command, found: (invocation: Invocation) => void): void {
  subcommand(program, "list", "list the conversations, most recently used first").action((values: CommonValues) => {
    found({ command: "list", ...common(values) });
  });
  subcommand(program, "show <id>", "print a conversation").action((id: string, values: CommonValues) => {
    found({ command: "show", ...common(values), id });
  });
  subcommand(program, "delete <id>", "delete a conversation").action((id: string, values: CommonValues) => {
    found({ command: "delete", ...common(values), id });
  });
}

function addCache(program: Command, found: (invocation: Invocation) => void): void {
  const action = new Argument("[action]", "what is cached, whether what is stored is sound, or remove it")
    .choices(["stats", "verify", "clear"] satisfies CacheCommandOptions["action"][])
    .default("stats");
  subcommand(program, "cache", "show, check or remove what is kept of computed conversations")
    .addArgument(action)
    .argument("[conversation]", "verify: restore this one, and compare it with computing it afresh")
    .action((chosen: CacheCommandOptions["action"], id: string | undefined, values: CommonValues, cache: Command) => {
      if (id !== undefined && chosen !== "verify") cache.error(`error: cache ${chosen} takes no conversation`);
      found({ command: "cache", ...common(values), action: chosen, conversation: id ?? null });
    });
}

function sampling({ maxTokens, temperature, seed }: ChatValues): Partial<Sampling> {
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(seed !== undefined && { seed }),
  };
}
