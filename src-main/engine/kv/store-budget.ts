import { statfsSync } from "node:fs";

const largestDefaultBytes = 8e9;
const shareOfFreeDisk = 0.1;

/**
 * How much the store may take unless the user says otherwise. What it takes already counts as free: otherwise it would
 * shrink at every start. `freeBytes`: of the disk it is on; `null` where that is unknown.
 */
export function defaultStoreBudget(freeBytes: number | null, storeBytes: number): number {
  if (freeBytes === null) return largestDefaultBytes;
  return Math.min(largestDefaultBytes, Math.floor((freeBytes + storeBytes) * shareOfFreeDisk));
}

/** `null` where the system does not tell. */
export function freeDiskBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
