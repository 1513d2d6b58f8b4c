/** What the library's dry run says it would do with each tensor. Pure. */

export interface PlannedTensor {
  readonly name: string;
  /** Innermost first, always four. */
  readonly shape: readonly number[];
  /** As ggml names types: `f16`, `q4_K`. */
  readonly sourceType: string;
  readonly targetType: string;
}

export interface DryRun {
  readonly tensors: readonly PlannedTensor[];
  readonly needsImatrix: boolean;
}

/** `[   1/  21] output.weight   - [   256,    593,      1,      1], type =    f16, size =     0.29 MiB ->     0.12 MiB (q6_K)` */
const tensorLine =
  /^\[ *(\d+)\/ *(\d+)\] (.+?) +- \[([\d, ]+)\], type = +(\S+), size = +[\d.]+ MiB(?: -> +[\d.]+ MiB \((\S+)\))?$/;

/** `null` where it is not the log that this release writes: then nothing of it is to be believed. */
export function readDryRun(log: string): DryRun | null {
  const rows = log
    .split("\n")
    .map((line) => tensorLine.exec(line))
    .filter((row) => row !== null);
  const isWhole = rows.length > 0 && rows.every((row, index) => isRow(row, index + 1, rows.length));
  if (!isWhole) return null;
  return { tensors: rows.map(plannedTensor), needsImatrix: log.includes("will require an imatrix!") };
}

function isRow([, number, count]: RegExpExecArray, expectedNumber: number, expectedCount: number): boolean {
  return Number(number) === expectedNumber && Number(count) === expectedCount;
}

function plannedTensor([
  ,
  ,
  ,
  name = "",
  shape = "",
  sourceType = "",
  targetType = sourceType,
]: RegExpExecArray): PlannedTensor {
  return { name, shape: shape.split(",").map(Number), sourceType, targetType };
}

/** Types that keep all of the weights, or so much that quantizing them is as good as quantizing the original. */
const fineTypes: ReadonlySet<string> = new Set(["f64", "f32", "f16", "bf16", "q8_0", "i8", "i16", "i32", "i64"]);

/** Whether weights that lost precision already would be quantized once more. */
export function quantizesAgain(tensors: readonly PlannedTensor[]): boolean {
  return tensors.some(({ sourceType, targetType }) => sourceType !== targetType && !fineTypes.has(sourceType));
}
