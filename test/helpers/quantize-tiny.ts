import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findLevel } from "../../src-main/contract/quantization-levels.ts";
import type { Forecast, MakeRequest } from "../../src-main/contract/quantizer-messages.ts";
import { forkEngine } from "../../src-main/engine-host/fork-engine.ts";
import { Quantizer } from "../../src-main/engine-host/quantizer.ts";

export const quantizerEntry = fileURLToPath(new URL("../../src-main/quantize/entry.ts", import.meta.url));

/** Real processes of the quantizer. */
export const quantizer = new Quantizer(forkEngine({ entry: quantizerEntry }));

export const never = new AbortController().signal;

/** A request for a level by its name. */
export function requestOf(sourcePath: string, level: string, imatrixPath: string | null = null) {
  return { sourcePath, fileType: findLevel(level)?.fileType ?? -1, imatrixPath };
}

export interface MadeFile {
  readonly path: string;
  readonly bytes: number;
  readonly forecast: Forecast;
  /** Bytes written, as they were told meanwhile. */
  readonly progress: readonly number[];
}

/** Foresees a file and makes it, beside its source. */
export async function quantizeFile(
  sourcePath: string,
  level: string,
  { imatrixPath = null, ...more }: Partial<MakeRequest> = {},
): Promise<MadeFile> {
  const request = requestOf(sourcePath, level, imatrixPath);
  const forecast = await quantizer.forecast(request, never);
  const path = join(sourcePath, "..", `${level}.gguf`);
  const progress: number[] = [];
  const onProgress = (writtenBytes: number) => progress.push(writtenBytes);
  const bytes = await quantizer.make({ ...request, outputPath: path, threads: 1, ...more }, onProgress, never);
  return { path, bytes, forecast, progress };
}
