/** Processes a bench started, by their ids: none may be left, however the bench ends. */
const started = new Set<number>();

/** Returns what to call when the process has ended by itself. */
export function killAtExit(pid: number): () => void {
  if (started.size === 0) listen();
  started.add(pid);
  return () => {
    started.delete(pid);
  };
}

function listen(): void {
  process.on("exit", killStarted);
  // Without a listener a signal ends the process and no exit event is seen.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
}

function killStarted(): void {
  for (const pid of started) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (caught) {
      // It ended by itself just now.
      if ((caught as NodeJS.ErrnoException).code !== "ESRCH") throw caught;
    }
  }
}
