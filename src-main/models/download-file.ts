import { setTimeout as delay } from "node:timers/promises";
import { DownloadPatience } from "./download-patience.ts";
import { FetchAttemptError } from "./fetch-attempt-error.ts";
import type { ArrivedFile, DownloadJob } from "./fetch-job.ts";
import { PartialFile } from "./partial-file.ts";
import { OtherVersion } from "./range-answer.ts";
import { RangeTransfer } from "./range-transfer.ts";

/** How often one call begins anew because the server has another version. */
const mostRestarts = 3;

/** Address of a file on the hub. `path`: below the repository's root. */
export function hubFileUrl(hubUrl: string, repository: string, revision: string, path: string): string {
  return `${hubUrl}/${repository}/resolve/${revision}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * Downloads a file, going on where an earlier call or process stopped. Returns the whole file, not yet compared with
 * what it should be. Throws FetchAttemptError, the file system's own errors, or the signal's reason; what has arrived
 * is kept.
 */
export async function downloadFile(job: DownloadJob): Promise<ArrivedFile> {
  const { settings, signal } = job;
  await using part = await PartialFile.open({ ...job, recordEveryBytes: settings.recordEveryBytes });
  const patience = new DownloadPatience(settings.retryDelayMs, part.doneBytes);
  let connections = settings.connections;
  let restarts = 0;
  while (!part.isWhole) {
    try {
      await new RangeTransfer(job, part, connections).run();
    } catch (caught) {
      signal.throwIfAborted();
      if (caught instanceof OtherVersion && restarts < mostRestarts) {
        restarts += 1;
        connections = 1;
        await part.restart(null);
        continue;
      }
      const waitMs = isPassing(caught) ? patience.waitMs(part.doneBytes, caught.retryAfterSeconds) : null;
      if (waitMs === null) throw caught;
      await delay(waitMs, undefined, { signal });
    }
  }
  job.onWhole();
  return { path: part.path, sha256: await part.sha256(signal) };
}

function isPassing(caught: unknown): caught is FetchAttemptError {
  return caught instanceof FetchAttemptError && caught.mayPass;
}
