import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

interface ChildScript {
  /** The next line it prints; fails where it ended instead. */
  line(): Promise<string>;
  /** kill -9. Resolves with the lines it printed that nobody had asked for, once it is gone. */
  kill(): Promise<string[]>;
}

/** Runs a script in a process of its own. */
export function startScript(script: URL, ...parameters: string[]): ChildScript {
  const path = fileURLToPath(script);
  const child = spawn(process.execPath, [path, ...parameters], { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(child, "close");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return {
    line: async () => {
      const next = await lines.next();
      if (next.done === true) throw new Error(`${path} ended`);
      return next.value;
    },
    kill: async () => {
      child.kill("SIGKILL");
      const rest: string[] = [];
      for await (const line of lines) rest.push(line);
      await gone;
      return rest;
    },
  };
}
