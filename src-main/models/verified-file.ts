/**
 * Knows whether a file is what it should be. Hashing is done once: a small file beside it remembers which bytes (by
 * size and modification time) were found right, so that later starts only look at the two numbers.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isMissing, isRefusedWrite } from "./storage-trouble.ts";

export interface ExpectedFile {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Whether `path` is there with the right size and, at least once since it last changed, the right hash. */
export async function isVerifiedFile(path: string, expected: ExpectedFile, signal?: AbortSignal): Promise<boolean> {
  const found = await sizeAndTime(path);
  if (found?.sizeBytes !== expected.sizeBytes) return false;
  const mark = markOf(found, expected);
  if ((await readMark(path)) === mark) return true;
  if ((await sha256OfFile(path, signal)) !== expected.sha256) return false;
  await writeMark(path, mark);
  return true;
}

/** To be called where the file at `path` was just found right, so that it need not be hashed again. */
export async function rememberVerified(path: string, expected: ExpectedFile): Promise<void> {
  const found = await sizeAndTime(path);
  if (found !== null) await writeMark(path, markOf(found, expected));
}

/** Forgets what is remembered of a file that goes. */
export async function forgetVerified(path: string): Promise<void> {
  await rm(markPath(path), { force: true });
}

/** SHA-256 in lower-case hexadecimal. */
export async function sha256OfFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash, signal === undefined ? {} : { signal });
  return hash.digest("hex");
}

interface SizeAndTime {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

function markOf({ sizeBytes, modifiedMs }: SizeAndTime, { sha256 }: ExpectedFile): string {
  return `${sizeBytes} ${modifiedMs} ${sha256}`;
}

async function sizeAndTime(path: string): Promise<SizeAndTime | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { sizeBytes: size, modifiedMs: mtimeMs };
  } catch (caught) {
    if (isMissing(caught)) return null;
    throw caught;
  }
}

function markPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.verified`);
}

async function readMark(path: string): Promise<string | null> {
  try {
    return await readFile(markPath(path), "utf8");
  } catch (caught) {
    if (isMissing(caught)) return null;
    throw caught;
  }
}

/** A folder shared read-only is a fine place for a model; there it is hashed at every start instead. */
async function writeMark(path: string, mark: string): Promise<void> {
  try {
    await writeFile(markPath(path), mark);
  } catch (caught) {
    if (!isRefusedWrite(caught)) throw caught;
  }
}
