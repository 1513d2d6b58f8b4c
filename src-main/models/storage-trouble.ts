import { dirname } from "node:path";
import { RepriseError } from "../contract/errors.ts";

function systemCode(caught: unknown): string | null {
  return caught instanceof Error && "syscall" in caught && "code" in caught ? String(caught.code) : null;
}

export function isMissing(caught: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(systemCode(caught) ?? "");
}

/** The file system will not take a write here, for lack of permission or of room. */
export function isRefusedWrite(caught: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"].includes(systemCode(caught) ?? "");
}

/** So that the system and the database still have room when a model has arrived. */
export const roomToLeaveBytes = 32e6;

/** `null` where there is enough. */
export function roomShortage(neededBytes: number, freeBytes: number): string | null {
  if (freeBytes >= neededBytes) return null;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  return `${megabytes(neededBytes)} are needed, ${megabytes(freeBytes)} are free`;
}

export function diskFull(folder: string, detail: string): RepriseError<"STORAGE_FAILED"> {
  return new RepriseError(
    "STORAGE_FAILED",
    `There is not enough room in ${folder} for the model (${detail}). What has arrived so far is kept. ` +
      "Free some space and try again, or name another folder in REPRISE_MODELS.",
    { reason: "disk-full", detail },
  );
}

/** What went wrong with the disk at `path` as a RepriseError; anything that is not about a disk as it is. */
export function toStorageTrouble(caught: unknown, path: string): unknown {
  const code = systemCode(caught);
  if (code === null) return caught;
  const detail = (caught as Error).message;
  if (code === "ENOSPC" || code === "EDQUOT") return diskFull(dirname(path), detail);
  if (isRefusedWrite(caught) || code === "ENOTDIR" || code === "EEXIST") {
    const sentence =
      `Reprise cannot write to its model folder ${dirname(path)} (${detail}). ` +
      "Make the folder writable and try again, or name another one in REPRISE_MODELS.";
    return new RepriseError("FOLDER_UNWRITABLE", sentence, { path: dirname(path), reason: detail }, { cause: caught });
  }
  const sentence = `The model could not be saved in ${dirname(path)} (${detail}). Try again, or choose a GGUF file of your own.`;
  return new RepriseError("STORAGE_FAILED", sentence, { reason: "other", detail }, { cause: caught });
}
