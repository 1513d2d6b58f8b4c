/**
 * instance.json in the data folder: where the running app listens and the token it asks for, so that the command
 * line finds it. Only the owner may read it. A file left behind by a killed app is told by nobody answering.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const instanceSchema = z.object({
  pid: z.int(),
  /** `http://127.0.0.1:PORT` */
  url: z.string(),
  token: z.string(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
});
export type Instance = z.infer<typeof instanceSchema>;

const instancePath = (dataFolder: string) => join(dataFolder, "instance.json");

/** Replaces the file in one step: a reader sees the old one or the new one, whole. */
export function writeInstance(dataFolder: string, instance: Instance): void {
  const path = instancePath(dataFolder);
  const draft = `${path}.${instance.pid}`;
  // The mode counts only for a new file, so one that a killed process of the same id left behind must go.
  rmSync(draft, { force: true });
  writeFileSync(draft, JSON.stringify(instance), { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}

/** `null` where no app has written one, or what is there is not an instance. */
export function readInstance(dataFolder: string): Instance | null {
  try {
    return instanceSchema.parse(JSON.parse(readFileSync(instancePath(dataFolder), "utf8")));
  } catch {
    return null;
  }
}

/** Removes the file if it still is the one with this token: another app may have taken the folder over since. */
export function removeInstance(dataFolder: string, token: string): void {
  if (readInstance(dataFolder)?.token === token) rmSync(instancePath(dataFolder), { force: true });
}
