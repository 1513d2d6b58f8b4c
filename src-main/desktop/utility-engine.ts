/**
 * Starts the engine, or the quantizer, in a utility process of Electron. Its standard output is dropped; the end of its standard error
 * is kept, to name the cause of a crash.
 */
import type { UtilityProcess } from "electron";
import { utilityProcess } from "electron";
import type { EngineProcess, LaunchEngine } from "../engine-host/engine-process.ts";
import type { ProcessExit } from "../engine-host/exit-cause.ts";

const keptOutputCharacters = 4_096;
/** How long after the exit the pipe may still deliver. */
const drainMs = 500;

/** `entry`: a built entry, the engine's or the quantizer's; `name`: what the system's list of processes shows. */
export function utilityEngine({ entry, name }: { entry: string; name: string }): LaunchEngine {
  return () => launch(entry, name);
}

function launch(entry: string, serviceName: string): EngineProcess {
  const child = utilityProcess.fork(entry, [], {
    serviceName,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, UV_THREADPOOL_SIZE: "1", GGML_NO_BACKTRACE: "1" },
  });
  const ended = watchExit(child);
  let hasEnded = false;
  child.once("exit", () => {
    hasEnded = true;
  });
  return {
    get pid() {
      return child.pid;
    },
    postMessage: (message) => {
      if (hasEnded) throw new Error("The engine process has ended.");
      child.postMessage(message);
    },
    onMessage: (listener) => {
      child.on("message", listener);
    },
    onExit: (listener) => void ended.then(listener),
    kill: () => {
      if (!hasEnded) kill(child);
    },
  };
}

/** Resolves when the process has ended and what it last wrote has been read. */
function watchExit(child: UtilityProcess): Promise<ProcessExit> {
  let output = "";
  const keep = (text: string) => {
    output = (output + text).slice(-keptOutputCharacters);
  };
  const drained = Promise.withResolvers<undefined>();
  const { stderr } = child;
  stderr?.on("data", (bytes: Buffer) => {
    keep(bytes.toString());
  });
  stderr?.once("close", () => {
    drained.resolve(undefined);
  });
  child.on("error", (type, location) => {
    keep(`${type} at ${location}\n`);
  });
  return new Promise((resolve) => {
    child.once("exit", (code) => {
      setTimeout(drained.resolve, drainMs, undefined).unref();
      void drained.promise.then(() => {
        resolve({ code, signal: null, output });
      });
    });
  });
}

/** `utilityProcess.kill` asks politely, and a hung engine does not hear it. */
function kill(child: UtilityProcess): void {
  const { pid } = child;
  if (pid === undefined) {
    child.once("spawn", () => {
      kill(child);
    });
    return;
  }
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It may have ended by itself just now; its exit event is then on the way.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
