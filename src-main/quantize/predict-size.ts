/** How many bytes a file will have that the quantizer was only asked about: its header, by the library's own writer, and its tensors. */
import type { PlannedTensor } from "./dry-run-log.ts";
import type { GgufContext, GgufFunctions } from "./gguf-functions.ts";
import type { TensorType } from "./llama-library.ts";
import type { Override } from "./overrides.ts";

interface Result {
  readonly fileType: number;
  readonly tensors: readonly PlannedTensor[];
  readonly overrides: readonly Override[];
}

const alignment = 32;
/** What the quantizer leaves out: it writes one file. */
const splitKeys = ["split.no", "split.count", "split.tensors.count"];
/** Release of the format of quantized tensors; only its size matters here. */
const quantizationVersion = 2;

/** Throws an Error for a source without a header, or a type this release does not know. */
export function predictBytes(
  { gguf, types }: { readonly gguf: GgufFunctions; readonly types: readonly TensorType[] },
  source: GgufContext,
  result: Result,
): number {
  return headerBytes(gguf, source, result) + tensorsBytes(result.tensors, types);
}

/** All behind the header. Throws an Error for a type this release does not know. */
export function tensorsBytes(tensors: readonly PlannedTensor[], types: readonly TensorType[]): number {
  return tensors.reduce((sum, tensor) => sum + padded(tensorBytes(tensor, types)), 0);
}

function headerBytes(gguf: GgufFunctions, source: GgufContext, { fileType, tensors, overrides }: Result): number {
  const header = gguf.empty();
  try {
    gguf.copyKeys(header, source);
    gguf.setNumber(header, "general.quantization_version", quantizationVersion);
    gguf.setNumber(header, "general.file_type", fileType);
    for (const key of splitKeys) gguf.removeKey(header, key);
    for (const { key, value } of overrides) {
      if (typeof value === "number") gguf.setNumber(header, key, value);
      else gguf.setText(header, key, value);
    }
    // Tensors can only be added as ggml has them in memory: a text stands for what is written of them all.
    const ofTensors = tensors.reduce((sum, tensor) => sum + descriptionBytes(tensor), 0);
    gguf.setText(header, standIn, "x".repeat(ofTensors - textBytes(standIn) - typeBytes - textBytes("")));
    return padded(gguf.headerBytes(header));
  } finally {
    gguf.free(header);
  }
}

const standIn = "x";
const typeBytes = 4;

/** A text is its length and its bytes. */
function textBytes(text: string): number {
  return 8 + Buffer.byteLength(text);
}

/** Name, number of dimensions, dimensions, type, offset. */
function descriptionBytes({ name, shape }: PlannedTensor): number {
  const dimensions = Math.max(1, shape.findLastIndex((length) => length !== 1) + 1);
  return textBytes(name) + 4 + 8 * dimensions + typeBytes + 8;
}

function tensorBytes({ shape, targetType }: PlannedTensor, types: readonly TensorType[]): number {
  const type = types.find(({ name }) => name === targetType);
  if (type === undefined) throw new Error(`the type ${targetType} is unknown`);
  return (shape.reduce((product, length) => product * length, 1) / type.blockElements) * type.blockBytes;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}
