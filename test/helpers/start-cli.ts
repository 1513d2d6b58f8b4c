/** The real command line as a process of its own, in a process group of its own, as a shell would start it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import type { TurnReport } from "../../src-main/contract/turn-report.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { writeTinyGguf } from "./tiny-gguf.ts";

const headless = fileURLToPath(new URL("../../src-main/headless/", import.meta.url));

/** Below a file: it has no models, and the default one cannot be put there, so that no test reaches for the network. */
export const noModelsFolder = fileURLToPath(new URL("start-cli.ts/models", import.meta.url));

export interface CliEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

export interface Cli {
  readonly process: ChildProcess;
  readonly ended: Promise<CliEnd>;
  output(): string;
  /** Resolves when standard output holds the text, or as many characters. */
  prints(what: string | number): Promise<void>;
  /** To every process of the group: what a terminal does on Ctrl+C. */
  signalGroup(signal: NodeJS.Signals): void;
  /** Resolves when no process of the group is left, engine included. */
  groupEnded(): Promise<void>;
}

export interface CliOptions {
  readonly dataFolder: string;
  /** `start` is what `npm start` runs after the build. */
  readonly program?: "reprise" | "start";
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

export function startCli(words: readonly string[], options: CliOptions): Cli {
  const { dataFolder, program = "reprise", environment = {}, input } = options;
  const child = spawn(process.execPath, [`${headless}${program}.ts`, ...words], {
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    env: { ...process.env, REPRISE_DATA: dataFolder, REPRISE_MODELS: noModelsFolder, ...environment },
    detached: true,
  });
  child.stdin?.end(input);
  const [output, errors] = [collect(child.stdout), collect(child.stderr)];
  const ended = once(child, "close").then(([code, signal]: unknown[]): CliEnd => {
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, output: output(), errors: errors() };
  });
  const signalGroup = (signal: NodeJS.Signals | 0) => process.kill(-Number(child.pid), signal);
  const hasProcesses = () => {
    try {
      return signalGroup(0);
    } catch {
      return false;
    }
  };
  onTestFinished(() => {
    if (hasProcesses()) signalGroup("SIGKILL");
  });
  const wait = { timeout: 60_000 };
  return {
    process: child,
    ended,
    output,
    prints: async (what) => {
      const holds = () => (typeof what === "string" ? output().includes(what) : output().length >= what);
      await vi.waitUntil(() => holds() || child.exitCode !== null, wait);
      if (!holds()) throw new Error(`It ended without printing that. It said: ${errors()}`);
    },
    signalGroup,
    groupEnded: async () => {
      await vi.waitUntil(() => !hasProcesses(), wait);
    },
  };
}

/** Runs a command to its end. */
export function runCli(words: readonly string[], options: CliOptions): Promise<CliEnd> {
  return startCli(words, options).ended;
}

/** Runs a command with --json that must succeed, and returns the only thing it printed. */
export async function jsonFromCli<Value>(dataFolder: string, ...words: string[]): Promise<Value> {
  const { code, output, errors } = await runCli([...words, "--json"], { dataFolder });
  if (code !== 0 || errors !== "") throw new Error(`It ended with ${String(code)} and said: ${errors}`);
  return JSON.parse(output) as Value;
}

/** What `chat --json` prints. */
export interface CliAnswer {
  readonly conversationId: string;
  readonly messageId: string;
  readonly text: string;
  readonly report: TurnReport;
}

/** All there is on standard error where something went wrong. */
export const oneLineOfError = /^reprise: [^\n]+\n$/;

/** A new data folder with a tiny model beside it. */
export async function tinyModelAndData(): Promise<{ dataFolder: string; model: string }> {
  const folder = temporaryFolder();
  return { dataFolder: join(folder, "data"), model: await writeTinyGguf(join(folder, "tiny.gguf")) };
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return () => text;
}
