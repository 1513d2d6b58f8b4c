import { RepriseError } from "../contract/errors.ts";

/** How a process ended. `code` is null where a signal ended it; `output` is the end of its standard error. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
}

const longestLine = 300;
const noise = [/^\s+at /, /^Node\.js v\d/, /^\s*\^+\s*$/];

/** The one line of standard error that says most: a failed assertion, else a thrown error, else the last line. */
function tellingLine(output: string): string | null {
  const lines = output
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== "" && !noise.some((pattern) => pattern.test(line)));
  const line =
    lines.findLast((candidate) => candidate.includes("GGML_ASSERT") || candidate.includes("GGML_ABORT")) ??
    lines.findLast((candidate) => /^(Uncaught )?\w*Error\b/.test(candidate)) ??
    lines.at(-1);
  return line === undefined ? null : line.trim().slice(0, longestLine);
}

function manner({ code, signal }: ProcessExit): string {
  if (signal === "SIGKILL") return "it was killed (SIGKILL); the system may have run out of memory";
  if (signal !== null) return `it was ended by ${signal}`;
  return code === null ? "it could not be started" : `it ended with code ${code}`;
}

/** Why a process ended, in words. */
export function describeExit(exit: ProcessExit): string {
  const line = tellingLine(exit.output);
  return line === null ? manner(exit) : `${manner(exit)}: ${line}`;
}

export function engineCrashed(cause: string): RepriseError<"ENGINE_CRASHED"> {
  const sentence = `The engine stopped unexpectedly: ${cause}. The text written so far is kept; the engine starts again when it is next needed.`;
  return new RepriseError("ENGINE_CRASHED", sentence, { cause });
}
