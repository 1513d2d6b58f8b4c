/**
 * The library tries its binary in a child process before it loads it, and forks Electron's own executable for that.
 * Packaged with the RunAsNode fuse off, that would start the app a second time and the test would fail. The engine is
 * such a child itself, watched by main: inside Electron the test is answered for, without a process.
 */
import childProcess, { type ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";

const answers: Readonly<Record<string, string>> = { start: "loaded", test: "done" };

/** Runs `work` while the library's self-test is taken to pass; every other fork stays what it is. */
export async function withoutSelfTest<Result>(work: () => Promise<Result>): Promise<Result> {
  const { fork } = childProcess;
  replaceFork((modulePath, ...rest: []) =>
    String(modulePath).includes("testBindingBinary") ? passingSelfTest() : fork(modulePath, ...rest),
  );
  try {
    return await work();
  } finally {
    replaceFork(fork);
  }
}

function replaceFork(fork: typeof childProcess.fork): void {
  childProcess.fork = fork;
  syncBuiltinESMExports();
}

/** Speaks the test's side of its protocol: ready, loaded, done, exit. */
function passingSelfTest(): ChildProcess {
  const child = new EventEmitter();
  const say = (type: string) => setImmediate(() => child.emit("message", { type }));
  say("ready");
  return Object.assign(child, {
    exitCode: null,
    killed: false,
    kill: () => true,
    send: ({ type }: { readonly type: string }) => {
      const answer = answers[type];
      if (answer === undefined) setImmediate(() => child.emit("exit", 0));
      else say(answer);
      return true;
    },
  }) as unknown as ChildProcess;
}
