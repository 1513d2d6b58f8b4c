import type { AppClient } from "../contract/app-contract.ts";
import { describeStatus } from "./progress-text.ts";
import type { ProgressLine } from "./terminal.ts";

/** Keeps the line up to date with what the app is busy with until the work is done or has something to show itself. */
export async function showStatusWhile<Result>(
  client: AppClient,
  line: ProgressLine,
  work: (endProgress: () => void) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const endProgress = () => {
    over.abort();
    line.clear();
  };
  void followStatus(client, line, over.signal);
  try {
    return await work(endProgress);
  } finally {
    endProgress();
  }
}

async function followStatus(client: AppClient, line: ProgressLine, over: AbortSignal): Promise<void> {
  try {
    for await (const status of await client.status.watch(undefined, { signal: over })) {
      if (over.aborted) return;
      const text = describeStatus(status);
      if (text !== null) line.show(text);
    }
  } catch {
    // Ended by `over`, or the connection is lost: then the work fails too, and that is where it is told.
    return;
  }
}
