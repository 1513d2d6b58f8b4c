import { app, powerMonitor } from "electron";
import { within } from "../app/within.ts";

/** Longer than the engine's own time to shut down; what was written is in the database long before. */
const longestCloseMs = 15_000;

/**
 * Makes every way to quit (menu, last window, SIGTERM, the system shutting down) wait until what was opened is closed
 * again, but not for ever.
 */
export function quitAfterClosing(opening: Promise<{ close(): Promise<void> }>): void {
  let isClosing = false;
  app.on("will-quit", (event) => {
    event.preventDefault();
    if (isClosing) return;
    isClosing = true;
    void exitAfter(close(opening));
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      app.quit();
    });
  }
  const onShutdown = (event: { preventDefault(): void }) => {
    event.preventDefault();
    app.quit();
  };
  // Electron's types leave the event out.
  powerMonitor.on("shutdown", onShutdown as () => void);
}

async function exitAfter(closing: Promise<void>): Promise<void> {
  let exitCode = 0;
  const closed = closing.catch((error: unknown) => {
    exitCode = 1;
    process.stderr.write(`Reprise did not close cleanly: ${error instanceof Error ? error.message : String(error)}\n`);
  });
  await within(closed, longestCloseMs);
  app.exit(exitCode);
}

async function close(opening: Promise<{ close(): Promise<void> }>): Promise<void> {
  // What could not open has said so itself, and there is nothing to close.
  const opened = await opening.catch(() => null);
  await opened?.close();
}
