/**
 * Lets one process at a time fetch into a folder that several share. The lock is a file with the holder's progress
 * in it, so that those who wait can show it. A lock is dead when its process is gone, or when nothing in it has
 * moved for a while as the waiter saw it (clocks of other machines, and of machines that slept, prove nothing).
 */
import { open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { fetchStatusSchema, type FetchStatus } from "../contract/app-status.ts";
import { newId } from "../contract/id.ts";
import { isMissing } from "./storage-trouble.ts";

const lockSchema = z.object({ pid: z.int(), host: z.string(), status: fetchStatusSchema });
type Lock = z.infer<typeof lockSchema>;

export interface FetchLockOptions {
  readonly onOtherStatus: (status: FetchStatus) => void;
  readonly signal: AbortSignal;
  readonly pollEveryMs?: number;
}

/** The signal also aborts, with the file system's error, when the lock can no longer be kept up. */
type LockedAction = (share: (status: FetchStatus) => void, signal: AbortSignal) => Promise<void>;

const beatEveryMs = 1_000;
/** Looks without a change until a holder counts as dead: ten seconds at the usual pace. */
const deadAfterLooks = 20;

/** Waits for the lock, then runs `action`; what `action` shares is shown to those who wait. */
export async function withFetchLock(
  path: string,
  { onOtherStatus, signal, pollEveryMs = 500 }: FetchLockOptions,
  action: LockedAction,
): Promise<void> {
  let seen = { mark: "", times: 0 };
  while (!(await takeLock(path))) {
    const held = await lookAt(path);
    if (held === null) continue;
    seen = { mark: held.mark, times: held.mark === seen.mark ? seen.times + 1 : 0 };
    if (held.lock !== null) onOtherStatus(held.lock.status);
    if (seen.times >= deadAfterLooks || (held.lock !== null && isDead(held.lock))) await breakLock(path, held.mark);
    else await delay(pollEveryMs, undefined, { signal });
  }
  await holdLock(path, signal, action);
}

/** Whether somebody who lives holds it. */
export async function isFetchLocked(path: string): Promise<boolean> {
  const held = await lookAt(path);
  return held !== null && (held.lock === null || !isDead(held.lock));
}

async function holdLock(path: string, signal: AbortSignal, action: LockedAction): Promise<void> {
  let status: FetchStatus = { state: "none" };
  let writing = Promise.resolve();
  const lost = new AbortController();
  const write = () => {
    writing = writing
      .then(() => writeFile(path, lockText(status)))
      .catch((caught: unknown) => {
        lost.abort(caught);
      });
  };
  const timer = setInterval(write, beatEveryMs);
  const share = (shared: FetchStatus) => {
    status = shared;
    write();
  };
  try {
    await action(share, AbortSignal.any([signal, lost.signal]));
  } finally {
    clearInterval(timer);
    await writing;
    await rm(path, { force: true });
  }
}

function lockText(status: FetchStatus): string {
  return JSON.stringify({ pid: process.pid, host: hostname(), status } satisfies Lock);
}

/** False where somebody holds it. */
async function takeLock(path: string): Promise<boolean> {
  try {
    await using file = await open(path, "wx");
    await file.writeFile(lockText({ state: "none" }));
    return true;
  } catch (caught) {
    if (caught instanceof Error && "code" in caught && caught.code === "EEXIST") return false;
    throw caught;
  }
}

/** `mark` changes with every beat; `lock` is `null` while its text is half written. The whole is `null` where it has gone. */
async function lookAt(path: string): Promise<{ mark: string; lock: Lock | null } | null> {
  try {
    const { mtimeMs, ino } = await stat(path);
    const text = await readFile(path, "utf8");
    return { mark: `${ino} ${mtimeMs}`, lock: readLock(text) };
  } catch (caught) {
    if (isMissing(caught)) return null;
    throw caught;
  }
}

function readLock(text: string): Lock | null {
  try {
    return lockSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function isDead({ pid, host }: Lock): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (caught) {
    // EPERM: it lives, and belongs to somebody else.
    return caught instanceof Error && "code" in caught && caught.code === "ESRCH";
  }
}

/** Moved aside before it is removed, so that of several who wait only one breaks it, and none breaks its successor. */
async function breakLock(path: string, mark: string): Promise<void> {
  const aside = `${path}.${newId()}`;
  try {
    if ((await lookAt(path))?.mark !== mark) return;
    await rename(path, aside);
  } catch (caught) {
    if (isMissing(caught)) return;
    throw caught;
  }
  await rm(aside, { force: true });
}
