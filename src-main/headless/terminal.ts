/** The three standard streams, and the two voices that write to them: answers to one, everything else to the other. */
import type { Readable, Writable } from "node:stream";
import { styleText } from "node:util";
import { withoutControls } from "./text-format.ts";

type TerminalInput = Readable & { readonly isTTY?: boolean };
type TerminalOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Terminal {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly errors: TerminalOutput;
}

/** Text for a person or a pipe; a terminal is spared what could steer it. */
export function print({ output }: Terminal, text: string): void {
  output.write(output.isTTY === true ? withoutControls(text) : text);
}

export function printJson({ output }: Terminal, value: unknown): void {
  output.write(`${JSON.stringify(value)}\n`);
}

/** A line beside the answer, dimmed; only for a person. */
export function remark({ errors }: Terminal, text: string): void {
  if (errors.isTTY === true) errors.write(`${styleText("dim", withoutControls(text), { stream: errors })}\n`);
}

/** A line about what went wrong. */
export function complain({ errors }: Terminal, sentence: string): void {
  errors.write(`reprise: ${sentence}\n`);
}

/** One line on standard error that is written over again and again, and is gone in the end; only for a person. */
export class ProgressLine {
  readonly #errors: TerminalOutput;
  #isShown = false;

  constructor({ errors }: Terminal) {
    this.#errors = errors;
  }

  show(text: string | null): void {
    if (this.#errors.isTTY !== true) return;
    this.clear();
    if (text === null) return;
    // A terminal that does not know its size says 0.
    const { columns = 0 } = this.#errors;
    const fitting = text.slice(0, (columns > 0 ? columns : 80) - 1);
    this.#errors.write(styleText("dim", fitting, { stream: this.#errors }));
    this.#isShown = true;
  }

  clear(): void {
    if (!this.#isShown) return;
    this.#errors.write("\r\u001b[K");
    this.#isShown = false;
  }
}
