/**
 * Starts the engine, or the quantizer, under plain Node. The child's standard output is dropped, so that nothing native
 * code prints can end up in what the command line prints; the end of its standard error is kept, to name the cause of a
 * crash.
 */
import { fork } from "node:child_process";
import type { EngineProcess, LaunchEngine } from "./engine-process.ts";
import type { ProcessExit } from "./exit-cause.ts";

const keptOutputCharacters = 4_096;
/** How long after the exit the pipes may still deliver; a grandchild that inherited them must not delay the news. */
const drainMs = 500;

/** `entry`: path of an entry file, the engine's or the quantizer's. */
export function forkEngine({ entry }: { entry: string }): LaunchEngine {
  return () => launch(entry);
}

function launch(entry: string): EngineProcess {
  const child = fork(entry, [], {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    execArgv: [],
    env: { ...process.env, UV_THREADPOOL_SIZE: "1", GGML_NO_BACKTRACE: "1" },
  });
  let output = "";
  const keep = (text: string) => {
    output = (output + text).slice(-keptOutputCharacters);
  };
  child.stderr?.setEncoding("utf8").on("data", keep);

  const ended = new Promise<ProcessExit>((resolve) => {
    const tell = (code: number | null, signal: string | null) => {
      resolve({ code, signal, output });
    };
    child.once("close", tell);
    child.once("exit", (code, signal) => {
      setTimeout(tell, drainMs, code, signal).unref();
    });
    child.on("error", (error) => {
      keep(`${error.message}\n`);
      if (child.pid === undefined) tell(null, null);
    });
  });

  return {
    pid: child.pid,
    postMessage: (message) => {
      if (!child.connected) throw new Error("The engine process has ended.");
      child.send(message as never);
    },
    onMessage: (listener) => child.on("message", listener),
    onExit: (listener) => void ended.then(listener),
    kill: () => child.kill("SIGKILL"),
  };
}
