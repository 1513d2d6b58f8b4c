/**
 * Being asked to stop from outside: a signal, or a reader of standard output that has gone. The first request aborts
 * one AbortSignal that everything waits on; a second signal ends the process at once.
 */
import { constants } from "node:os";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type StopCause = (typeof signals)[number] | "output-closed";

/** Thrown where work ended because it was asked to. The message is for the person; it is empty where nobody reads. */
export class Stopped extends Error {
  override readonly name = "Stopped";
  readonly exitCode: number;

  constructor(cause: StopCause, sentence: string) {
    super(cause === "output-closed" ? "" : sentence);
    this.exitCode = stopExitCode(cause);
  }
}

/** As shells count: 128 and the signal's number. A reader that had enough, like `head`, is no failure. */
function stopExitCode(cause: StopCause): number {
  return cause === "output-closed" ? 0 : 128 + constants.signals[cause];
}

/** One key press can arrive twice: from the terminal, and passed on by npm. */
const sameRequestMs = 500;

interface StopSource {
  on(event: StopCause, listener: () => void): unknown;
  exit(code: number): void;
  readonly stdout: { on(event: "error", listener: () => void): unknown };
}

/** Call once a process. The signal's reason is the StopCause. */
export function listenForStop(source: StopSource): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  for (const cause of signals) {
    source.on(cause, () => {
      if (!controller.signal.aborted) {
        firstAt = performance.now();
        controller.abort(cause);
      } else if (performance.now() - firstAt > sameRequestMs) {
        source.exit(stopExitCode(cause));
      }
    });
  }
  source.stdout.on("error", () => {
    controller.abort("output-closed" satisfies StopCause);
  });
  return controller.signal;
}

/** The result of `work`, or Stopped with this sentence as soon as a stop is asked for; the work is not cancelled. */
export async function unlessStopped<Result>(
  stop: AbortSignal,
  sentence: string,
  work: Promise<Result>,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => {
    reject(new Stopped(stop.reason as StopCause, sentence));
  };
  if (stop.aborted) onAbort();
  stop.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    stop.removeEventListener("abort", onAbort);
  }
}
