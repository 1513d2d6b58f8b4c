/**
 * A file that is being made: under a temporary name that no list of models shows, until it is whole. It owns the
 * temporary file.
 */
import { access, mkdir, open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RepriseError } from "../contract/errors.ts";
import { newId } from "../contract/id.ts";

/** ASCII alone: see the quantizer. */
const temporaryName = /^\.reprise-(\d+)-[\w-]+\.quantizing$/;

/** Makes the folder where it is missing. */
export async function isWritableFolder(folder: string): Promise<boolean> {
  const probe = temporaryPath(folder);
  try {
    await mkdir(folder, { recursive: true });
    await (await open(probe, "wx")).close();
    await rm(probe);
    return true;
  } catch {
    return false;
  }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export async function isSameFile(path: string, other: string): Promise<boolean> {
  const identity = (each: string) =>
    stat(each).then(
      ({ dev, ino }) => `${dev} ${ino}`,
      () => null,
    );
  const one = await identity(path);
  return one !== null && one === (await identity(other));
}

/** On the disk of a folder that exists. */
export async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Throws STORAGE_FAILED where the disk has less room than is needed. */
export function checkRoom(folder: string, neededBytes: number, freeBytes: number): void {
  if (freeBytes > neededBytes) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  const detail = `${megabytes(neededBytes)} are needed, ${megabytes(freeBytes)} are free`;
  const sentence = `There is not enough room in ${folder} for the quantization (${detail}). Nothing was written. Free some space, or choose another folder.`;
  throw new RepriseError("STORAGE_FAILED", sentence, { reason: "disk-full", detail });
}

export function fileExists(path: string): RepriseError<"FILE_EXISTS"> {
  const sentence = `There is a file at ${path} already. It was left as it is. Choose another name, or allow it to be replaced.`;
  return new RepriseError("FILE_EXISTS", sentence, { path });
}

/**
 * Has `write` make the file under a temporary name, and gives it its own when it is whole. Nothing is left of it where
 * `write` throws. Throws FILE_EXISTS where a file came to be there meanwhile and may not be replaced.
 */
export async function writeWhole<Result>(
  path: string,
  { overwrite }: { readonly overwrite: boolean },
  write: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const folder = dirname(path);
  await removeLeftOvers(folder);
  const temporary = temporaryPath(folder);
  try {
    const result = await write(temporary);
    if (!overwrite && (await exists(path))) throw fileExists(path);
    await rename(temporary, path);
    await flushFolder(folder);
    return result;
  } finally {
    await rm(temporary, { force: true, maxRetries: 3 });
  }
}

function temporaryPath(folder: string): string {
  return join(folder, `.reprise-${process.pid}-${newId()}.quantizing`);
}

/** Of processes that were ended in the middle. */
async function removeLeftOvers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = temporaryName.exec(name)?.[1];
    if (owner !== undefined && !isRunning(Number(owner))) await rm(join(folder, basename(name)), { force: true });
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** So that the new name survives a power cut too. The file is whole either way, and not every system can. */
async function flushFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder);
    await handle.sync();
  } catch {
    return;
  }
}
