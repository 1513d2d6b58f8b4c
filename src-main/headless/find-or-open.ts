/** Finds the app that has a data folder open, or opens one in this process. */
import { setTimeout as delay } from "node:timers/promises";
import type { Folders } from "../app/folders.ts";
import { RepriseError } from "../contract/errors.ts";
import { type Instance, readInstance } from "../loopback/instance-file.ts";
import { connectToInstance, type RemoteApp } from "../loopback/remote-client.ts";
import type { CommandHost, OpenedApp, OpenOptions } from "./command-host.ts";
import { unlessStopped } from "./stop.ts";

export type Found =
  | { readonly kind: "running"; readonly instance: Instance; readonly remote: RemoteApp }
  | { readonly kind: "opened"; readonly app: OpenedApp };

const answerMs = 2_000;
const retryMs = 100;
/** An app that is starting has the lock before it answers; one that is closing stops answering before it lets go. */
const patienceMs = 5_000;

/** Throws ALREADY_RUNNING where somebody keeps the folder and does not answer, and what else `openApp` throws. */
export async function findOrOpen(
  { openApp, stop }: Pick<CommandHost, "openApp" | "stop">,
  folders: Folders,
  options: OpenOptions,
): Promise<Found> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const instance = readInstance(folders.dataFolder);
    const remote = instance === null ? null : await connectToInstance(instance, answerMs);
    if (instance !== null && remote !== null) return { kind: "running", instance, remote };
    try {
      const app = await openApp(folders, options);
      if (!stop.aborted) return { kind: "opened", app };
      await app.close();
    } catch (caught) {
      if (!(caught instanceof RepriseError) || caught.code !== "ALREADY_RUNNING") throw caught;
      if (performance.now() > deadline) throw doesNotAnswer(caught as RepriseError<"ALREADY_RUNNING">);
    }
    await unlessStopped(stop, "Stopped before anything was done.", delay(retryMs));
  }
}

function doesNotAnswer({ data }: RepriseError<"ALREADY_RUNNING">): RepriseError {
  const holder = data.pid === null ? "Another Reprise" : `Another Reprise (process ${data.pid})`;
  const sentence = `${holder} is using ${data.dataFolder} and does not answer. Try again when it has finished, or name another folder with --data.`;
  return new RepriseError("ALREADY_RUNNING", sentence, data);
}
