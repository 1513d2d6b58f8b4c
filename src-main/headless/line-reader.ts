/** Lines a person types at a prompt. Lines that come while nobody waits are kept; Ctrl+C is passed on as an event. */
import { createInterface, type Interface } from "node:readline";
import type { Terminal } from "./terminal.ts";

export class LineReader implements Disposable {
  readonly #interface: Interface;
  readonly #lines: string[] = [];
  #waiting: ((line: string | null) => void) | null = null;
  #isClosed = false;

  /** The prompt and what is typed appear on standard error: standard output is for answers. */
  constructor({ input, errors }: Terminal, onInterrupt: () => void) {
    this.#interface = createInterface({ input, output: errors, terminal: true, prompt: "> " });
    this.#interface.on("line", (line) => {
      if (this.#waiting === null) this.#lines.push(line);
      else this.#deliver(line);
    });
    this.#interface.on("SIGINT", onInterrupt);
    this.#interface.on("close", () => {
      this.#isClosed = true;
      this.#deliver(null);
    });
  }

  /** Prompts for a line; `null` once the input has ended or the reader was closed. */
  next(): Promise<string | null> {
    const line = this.#lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (this.#isClosed) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#interface.prompt();
    });
  }

  close(): void {
    this.#interface.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #deliver(line: string | null): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(line);
  }
}
