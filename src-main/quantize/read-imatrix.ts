/**
 * Importance matrices: how much each input of a tensor matters, measured on some text by llama.cpp's `imatrix`. Read as
 * its quantizer reads them, but with every size checked before it is believed.
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { FileWindow, GgufError } from "../gguf/file-window.ts";
import { readGgufHeader, type GgufHeader, type GgufTensor } from "../gguf/gguf-header.ts";
import { numberValue } from "../gguf/gguf-values.ts";
import type { GgufFunctions } from "./gguf-functions.ts";
import { imatrixProblem, type Imatrix } from "./imatrix.ts";
import { readLegacyImatrix } from "./legacy-imatrix.ts";

/** What is needed of the library. */
type GgufReader = Pick<GgufFunctions, "open" | "texts" | "free">;

/** Throws INVALID_INPUT with what is wrong with the file. */
export function readImatrix(path: string, gguf: GgufReader): Imatrix {
  try {
    const imatrix = isGguf(path) ? readGgufImatrix(path, gguf) : readLegacyImatrix(readFileSync(path));
    for (const [name, weights] of imatrix.weights) {
      if (!weights.every(Number.isFinite)) throw new GgufError(`its weights for ${name} are not all numbers`);
    }
    return imatrix;
  } catch (caught) {
    throw imatrixProblem(path, caught instanceof Error ? caught.message : String(caught));
  }
}

function isGguf(path: string): boolean {
  using file = new FileWindow(path);
  return file.sizeBytes >= 4 && file.u32() === ggufMagic;
}

const ggufMagic = 0x4655_4747;
const sumsEnding = ".in_sum2";
const countsEnding = ".counts";
const float32 = 0;

function readGgufImatrix(path: string, gguf: GgufReader): Imatrix {
  const header = readGgufHeader(path);
  const chunks = numberValue(header, "imatrix.chunk_count");
  const isImatrix =
    chunks !== null && ["imatrix.datasets", "imatrix.chunk_size"].every((key) => header.metadata.has(key));
  if (!isImatrix) throw new GgufError("it is a GGUF file of another kind");
  const byName = new Map(header.tensors.map((tensor) => [tensor.name, tensor]));
  const names = header.tensors
    .map(({ name }) => name)
    .filter((name) => name.endsWith(sumsEnding))
    .map((name) => name.slice(0, -sumsEnding.length));
  if (names.length === 0) throw new GgufError("it has no weights");
  using file = openFloats(path, header);
  const weights = new Map(
    names.sort().map((name) => {
      const sums = file.read(byName.get(name + sumsEnding));
      return [name, mean(name, sums, file.read(byName.get(name + countsEnding)))];
    }),
  );
  return { weights, datasets: datasetsOf(path, gguf), chunks };
}

/** Of each expert's sums, by how often it was used; what was never used counts as evenly important. */
function mean(name: string, sums: Float32Array, counts: Float32Array): Float32Array {
  const inputs = sums.length / counts.length;
  if (counts.length === 0 || !Number.isInteger(inputs)) throw new GgufError(`its counts for ${name} do not fit`);
  return sums.map((sum, index) => {
    const count = Math.round(counts[Math.floor(index / inputs)] ?? 0);
    return count > 0 ? sum / count : 1;
  });
}

function openFloats(path: string, { sizeBytes }: GgufHeader) {
  const file = openSync(path, "r");
  return {
    read: (tensor: GgufTensor | undefined): Float32Array => {
      if (tensor?.type !== float32) throw new GgufError("its sums and counts do not belong together");
      const length = tensor.shape.reduce((product, size) => product * size, 1);
      if (tensor.offsetBytes + length * 4 > sizeBytes) throw new GgufError("it is incomplete");
      const values = new Float32Array(length);
      readSync(file, values, 0, values.byteLength, tensor.offsetBytes);
      return values;
    },
    [Symbol.dispose]: () => {
      closeSync(file);
    },
  };
}

function datasetsOf(path: string, gguf: GgufReader): readonly string[] {
  const context = gguf.open(path);
  if (context === null) throw new GgufError("it is damaged");
  try {
    return gguf.texts(context, "imatrix.datasets") ?? [];
  } finally {
    gguf.free(context);
  }
}
