import { spawn } from "node:child_process";
import { exitCodes } from "../contract/exit-codes.ts";

/** How a window's process ended. */
export interface DesktopEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It failed before a person can have done anything with it, and nobody asked it to end. */
  readonly neverStarted: boolean;
}

const startMs = 10_000;
const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs Electron on the folder of the package.json until it ends; signals to this process are passed on to it. */
export function runDesktop(executable: string, appFolder: string, words: readonly string[]): Promise<DesktopEnd> {
  const startedAt = performance.now();
  const desktop = spawn(executable, [appFolder, ...words], { stdio: "inherit" });
  let wasAsked = false;
  const listeners = passedOn.map((signal) => {
    const passOn = () => {
      wasAsked = true;
      // A terminal sends Ctrl+C to the whole process group itself; twice would be one time too many.
      if (signal !== "SIGINT" || !process.stdin.isTTY) desktop.kill(signal);
    };
    process.on(signal, passOn);
    return () => process.off(signal, passOn);
  });
  return new Promise((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      for (const remove of listeners) remove();
      const failed = code !== exitCodes.success && code !== exitCodes.saidWhyItCannotStart;
      resolve({ code, signal, neverStarted: failed && !wasAsked && performance.now() - startedAt < startMs });
    };
    desktop.once("error", () => {
      end(null, null);
    });
    desktop.once("exit", end);
  });
}
