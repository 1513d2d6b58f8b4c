import { spawn } from "node:child_process";
import type { Command } from "./fetch-settings.ts";

export type CommandResult =
  { readonly outcome: "done" | "failed"; readonly output: string } | { readonly outcome: "not-there" };

const keptOutputCharacters = 2 ** 16;

/**
 * Runs a program to its end; `output` is what it wrote last, on standard output and error together.
 * Aborted, it kills the program, waits until it has gone, and rejects with the signal's reason.
 */
export function runCommand(
  [program, ...first]: Command,
  rest: readonly string[],
  { environment = process.env, signal }: { environment?: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<CommandResult> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
  const child = spawn(program, [...first, ...rest], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  let output = "";
  const collect = (text: string) => {
    output = (output + text).slice(-keptOutputCharacters);
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  child.on("error", () => {
    resolve({ outcome: "not-there" });
  });
  // Not only "close": a grandchild that outlives the program would keep its pipes open.
  child.on("exit", () => {
    if (signal.aborted) reject(signal.reason as Error);
  });
  child.on("close", (code) => {
    resolve({ outcome: code === 0 ? "done" : "failed", output });
  });
  return promise.finally(() => {
    signal.removeEventListener("abort", kill);
  });
}

/** The first command that answers `--version`: a name on the path alone may be a stub that only points to a shop. */
export async function firstWorking(commands: readonly Command[], signal: AbortSignal): Promise<Command | null> {
  for (const command of commands) {
    const result = await runCommand(command, ["--version"], { signal });
    if (result.outcome === "done") return command;
  }
  return null;
}
