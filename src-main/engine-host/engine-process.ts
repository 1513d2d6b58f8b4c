import type { ProcessExit } from "./exit-cause.ts";

/** A child process that runs the engine or the quantizer, whichever host started it: Node's fork or Electron's utilityProcess. */
export interface EngineProcess {
  readonly pid: number | undefined;
  /** Throws when the process has ended. */
  postMessage(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, after the last message. */
  onExit(listener: (exit: ProcessExit) => void): void;
  /** Ends it at once (SIGKILL or the platform's equivalent). */
  kill(): void;
}

/** Starts a new process with the environment it needs: UV_THREADPOOL_SIZE=1, GGML_NO_BACKTRACE=1. */
export type LaunchEngine = () => EngineProcess;
