import { stat } from "node:fs/promises";
import { modelMissing, modelUnusable } from "../contract/model-errors.ts";

/** A file as it is now. Another content has another size or another time, so both are part of every key made of it. */
export interface FileStamp {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** Throws MODEL_MISSING where there is no file, MODEL_INVALID where it is something else or may not be read. */
export async function stampFile(path: string): Promise<FileStamp> {
  const found = await stat(path).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") throw modelMissing(path);
    throw modelUnusable(path, (error as Error).message);
  });
  if (!found.isFile()) throw modelUnusable(path, "it is not a file");
  return { path, sizeBytes: found.size, modifiedMs: found.mtimeMs };
}

export function stampKey({ path, sizeBytes, modifiedMs }: FileStamp): string {
  return `${path}|${sizeBytes}|${modifiedMs}`;
}
