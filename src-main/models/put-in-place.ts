/** The last steps of a file that has arrived: compared with what it should be, safe on the disk, under its name. */
import { open, rename, rm } from "node:fs/promises";
import { FetchAttemptError } from "./fetch-attempt-error.ts";
import type { ArrivedFile } from "./fetch-job.ts";
import { discardPartial } from "./partial-file.ts";
import { rememberVerified, type ExpectedFile } from "./verified-file.ts";

/** Throws FetchAttemptError where it is another file; that is deleted then, since its rest cannot be made good. */
export async function requireIntact(arrived: ArrivedFile, target: string, expected: ExpectedFile): Promise<void> {
  if (arrived.sha256 === expected.sha256) return flushToDisk(arrived.path);
  await rm(arrived.path, { force: true });
  await discardPartial(target);
  throw new FetchAttemptError("what it sent is damaged or another file (the checksum differs)", { isDamaged: true });
}

/** `arrived` has been found intact; whatever lies at `target` is replaced. */
export async function putInPlace(arrived: ArrivedFile, target: string, expected: ExpectedFile): Promise<void> {
  await rename(arrived.path, target);
  await discardPartial(target);
  await rememberVerified(target, expected);
}

/** What is remembered as verified must not be lost to a power cut that comes right after. */
async function flushToDisk(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.sync();
}
