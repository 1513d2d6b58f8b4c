import { stat } from "node:fs/promises";
import { RepriseError } from "../contract/errors.ts";

/** A file as it is now. Another content has another size or another time, so both are part of every key made of it. */
export interface FileStamp {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

function modelMissing(path: string): RepriseError<"MODEL_MISSING"> {
  const sentence = `There is no model file at ${path}. Put it back, or choose another model.`;
  return new RepriseError("MODEL_MISSING", sentence, { path });
}

/** Throws MODEL_MISSING where there is no file, MODEL_INVALID where it is something else or may not be read. */
export async function stampFile(path: string): Promise<FileStamp> {
  const found = await stat(path).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") throw modelMissing(path);
    throw modelUnreadable(path, (error as Error).message);
  });
  if (!found.isFile()) throw modelUnreadable(path, "it is not a file");
  return { path, sizeBytes: found.size, modifiedMs: found.mtimeMs };
}

function modelUnreadable(path: string, reason: string): RepriseError<"MODEL_INVALID"> {
  const sentence = `${path} cannot be used as a model: ${reason}. Choose a GGUF file.`;
  return new RepriseError("MODEL_INVALID", sentence, { path, reason });
}

export function stampKey({ path, sizeBytes, modifiedMs }: FileStamp): string {
  return `${path}|${sizeBytes}|${modifiedMs}`;
}
