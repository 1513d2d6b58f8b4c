/** The two things that a quantizer child does: foresee a file, or make it. */
import { closeSync, fsyncSync, openSync, statfsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { RepriseError } from "../contract/errors.ts";
import type { Forecast, MakeRequest, PlanRequest } from "../contract/quantizer-messages.ts";
import { checkResult } from "./check-result.ts";
import { quantizesAgain, readDryRun, type DryRun } from "./dry-run-log.ts";
import { checkImatrixFits, type Imatrix } from "./imatrix.ts";
import type { LlamaLibrary } from "./llama-library.ts";
import { alignmentOverrides, encodeOverrides, imatrixOverrides, type Override } from "./overrides.ts";
import { predictBytes, tensorsBytes } from "./predict-size.ts";
import { quantizeFailed, reasonInLog } from "./quantize-failed.ts";
import { readImatrix } from "./read-imatrix.ts";
import { refuseOtherFiles, sourceProblem } from "./source-file.ts";

/** Rows of a tensor are quantized in pieces that take no more memory than this. */
const bufferBytes = 256 * 2 ** 20;

interface Prepared {
  readonly overrides: readonly Override[];
  /** What both runs of the library get. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly dryRun: DryRun;
  readonly predictedBytes: number;
}

/** Throws MODEL_INVALID, INVALID_INPUT for an importance matrix, QUANTIZE_FAILED. */
export async function forecast(library: LlamaLibrary, request: PlanRequest): Promise<Forecast> {
  const { dryRun, predictedBytes } = await prepare(library, request);
  return { predictedBytes, needsImatrix: dryRun.needsImatrix, isLossySource: quantizesAgain(dryRun.tensors) };
}

/**
 * Writes the file, checks it and waits until it is on the disk. Returns its size. Throws what `forecast` throws and
 * STORAGE_FAILED; what was written until then is left to the caller. Whether it may be made is not asked here.
 */
export async function make(library: LlamaLibrary, request: MakeRequest): Promise<number> {
  const { params, dryRun, overrides, predictedBytes } = await prepare(library, request);
  const { sourcePath, outputPath, threads, fileType } = request;
  const folder = dirname(outputPath);
  // On Windows the library opens what it writes by the system's old encoding: a name without the folder is the same in all.
  process.chdir(folder);
  const outcome = await library.quantize(sourcePath, basename(outputPath), { ...params, nthread: threads });
  if (!outcome.isDone) throw writeFailure(outcome.log, outputPath, predictedBytes);
  const { tensors } = dryRun;
  const tensorsSize = tensorsBytes(tensors, library.types);
  checkResult(outputPath, { fileType, tensorCount: tensors.length, tensorsBytes: tensorsSize, overrides });
  flush(outputPath);
  return statSync(outputPath).size;
}

async function prepare(library: LlamaLibrary, request: PlanRequest): Promise<Prepared> {
  const { sourcePath, fileType, imatrixPath } = request;
  refuseOtherFiles(sourcePath);
  const source = library.gguf.open(sourcePath);
  if (source === null) throw sourceProblem(sourcePath, "its header is damaged");
  const imatrix = imatrixPath === null ? null : readImatrix(imatrixPath, library.gguf);
  const overrides = [
    ...(imatrixPath === null || imatrix === null ? [] : imatrixOverrides(imatrixPath, imatrix)),
    ...alignmentOverrides(library.gguf.alignment(source)),
  ];
  const params = { ...paramsFor(library, imatrix, overrides), ftype: fileType };
  const outcome = await library.quantize(sourcePath, "", { ...params, dry_run: true });
  if (!outcome.isDone) throw quantizeFailed(reasonInLog(outcome.log));
  const dryRun = readDryRun(outcome.log);
  if (dryRun === null) throw quantizeFailed("the engine's library speaks otherwise than this Reprise understands");
  if (imatrixPath !== null && imatrix !== null) checkImatrixFits(imatrixPath, imatrix, dryRun.tensors);
  const predictedBytes = predictBytes(library, source, { fileType, overrides, tensors: dryRun.tensors });
  library.gguf.free(source);
  return { overrides, params, dryRun, predictedBytes };
}

function paramsFor(library: LlamaLibrary, imatrix: Imatrix | null, overrides: readonly Override[]) {
  return {
    // The library would also refuse Q8_0; whether it is allowed has been decided from what the dry run found.
    allow_requantize: true,
    imatrix: imatrix === null ? null : library.imatrixParameter(imatrix.weights),
    kv_overrides: encodeOverrides(overrides),
    max_buf_size: bufferBytes,
  };
}

/** The library says of a write that failed only that it did. */
function writeFailure(log: string, outputPath: string, predictedBytes: number): RepriseError {
  const reason = reasonInLog(log);
  const { bavail, bsize } = statfsSync(dirname(outputPath));
  const missing = predictedBytes - (statSync(outputPath, { throwIfNoEntry: false })?.size ?? 0);
  if (!/iostream|ios_base|basic_ios/.test(reason) || bavail * bsize > missing) return quantizeFailed(reason);
  const sentence = `There is no more room in ${dirname(outputPath)}, so the quantization was given up and nothing of it was kept. Free some space and try again.`;
  return new RepriseError("STORAGE_FAILED", sentence, { reason: "disk-full", detail: reason });
}

function flush(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
