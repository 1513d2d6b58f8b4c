import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Lets everything else on the machine go first. Threads that begin later take it over. */
export function lowerPriority(): void {
  // Linux keeps a priority for each thread, and some are there already.
  const threads = process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [process.pid];
  for (const thread of threads) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // A thread that just ended, or a system that does not allow it: it is only a courtesy.
    }
  }
}
