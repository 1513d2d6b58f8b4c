import { onTestFinished } from "vitest";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Takes away, when the test is over, the signal listeners that were added in it. */
export function restoreSignalListeners(): void {
  const before = new Set(signals.flatMap((signal) => process.listeners(signal)));
  onTestFinished(() => {
    for (const signal of signals) {
      for (const listener of process.listeners(signal)) {
        if (!before.has(listener)) process.off(signal, listener);
      }
    }
  });
}
