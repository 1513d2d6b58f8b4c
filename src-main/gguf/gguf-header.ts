/**
 * Reads a GGUF file's header. Of our own, because the library's reader takes zeros for what lies beyond the end of a
 * file and trusts every count: a download cut short passes as whole, and a lying count makes it run out of memory.
 */
import { FileWindow, GgufError } from "./file-window.ts";
import { shownText } from "./shown-text.ts";

export type GgufScalar = string | number | boolean;

/** Elements are kept only of short arrays of numbers (values by layer), not of vocabularies. */
interface GgufArray {
  readonly length: number;
  readonly numbers: readonly number[] | null;
  readonly holds?: "texts" | "values";
  /** Byte by byte, where they were asked for: good for comparing, not for reading. */
  readonly texts?: readonly string[];
}

export interface ReadHeaderOptions {
  /** Key of an array of texts that is kept. */
  readonly keepTextsOf?: string;
  /** Keys whose values must be of one type, by its number: llama.cpp ends the process over another. */
  readonly demandedTypes?: ReadonlyMap<string, number>;
}

export interface GgufTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: number;
  /** From the start of the file. */
  readonly offsetBytes: number;
}

export interface GgufHeader {
  readonly metadata: ReadonlyMap<string, GgufScalar | GgufArray>;
  readonly tensors: readonly GgufTensor[];
  readonly sizeBytes: number;
}

const magic = 0x4655_4747;
const keptArrayLength = 1_024;
const maximumDimensions = 4;
const defaultAlignment = 32;
/** A key is at least its length, its type and one byte; a tensor its name's length, dimension count, type and offset. */
const smallestKeyBytes = 13;
const smallestTensorBytes = 24;
/** Far more than the largest models have; what is counted is also kept, and must not fill the memory. */
const mostKeys = 65_536;
const mostTensors = 262_144;
/** llama.cpp's library turns keys into nested objects, where these would reach every object of the process. */
const forbiddenKey = /(^|\.)(__proto__|constructor|prototype)(\.|$)/;

/** Throws GgufError where it is no whole header, and the system's error where the file cannot be read. */
export function readGgufHeader(path: string, options: ReadHeaderOptions = {}): GgufHeader {
  using file = new FileWindow(path);
  if (file.sizeBytes < 24 || file.u32() !== magic) throw new GgufError("it is not a GGUF file");
  checkVersion(file.u32());
  const tensorCount = boundedCount(file.u64(), smallestTensorBytes, file, "tensors");
  const keyCount = boundedCount(file.u64(), smallestKeyBytes, file, "keys");
  if (tensorCount > mostTensors || keyCount > mostKeys)
    throw new GgufError(`it claims ${tensorCount} tensors and ${keyCount} keys, more than any model has`);
  const metadata = readMetadata(file, keyCount, options);
  const tensors: GgufTensor[] = [];
  while (tensors.length < tensorCount) tensors.push(readTensor(file));
  const alignment = metadata.get("general.alignment") ?? defaultAlignment;
  if (typeof alignment !== "number" || alignment < 1) throw new GgufError("its alignment is not a size");
  const dataStart = Math.ceil(file.position / alignment) * alignment;
  return {
    metadata,
    tensors: tensors.map((tensor) => ({ ...tensor, offsetBytes: dataStart + tensor.offsetBytes })),
    sizeBytes: file.sizeBytes,
  };
}

function checkVersion(version: number): void {
  if (version === 2 || version === 3) return;
  const isSwapped = version >= 1 << 16;
  throw new GgufError(
    isSwapped ? "it was made for big-endian machines" : `its version of the format, ${version}, cannot be read`,
  );
}

function boundedCount(count: number, smallestBytes: number, file: FileWindow, what: string): number {
  if (count * smallestBytes <= file.remainingBytes) return count;
  throw new GgufError(`it is incomplete or damaged: it claims ${count} ${what}, more than its size can hold`);
}

function readMetadata(
  file: FileWindow,
  keyCount: number,
  { keepTextsOf, demandedTypes }: ReadHeaderOptions,
): Map<string, GgufScalar | GgufArray> {
  const metadata = new Map<string, GgufScalar | GgufArray>();
  for (let index = 0; index < keyCount; index += 1) {
    const key = file.text();
    if (metadata.has(key)) throw new GgufError(`its header has the key ${shownText(key)} twice`);
    if (forbiddenKey.test(key)) throw new GgufError(`its header has the key ${shownText(key)}, which no model needs`);
    const type = file.u32();
    if ((demandedTypes?.get(key) ?? type) !== type) throw new GgufError(`its ${key} is not of the type it must be`);
    metadata.set(key, type === arrayType ? readArray(file, key === keepTextsOf) : scalar(type).read(file));
  }
  return metadata;
}

function readArray(file: FileWindow, keepsTexts: boolean): GgufArray {
  const type = file.u32();
  const element = scalar(type);
  const length = boundedCount(file.u64(), element.sizeBytes, file, "array elements");
  if (type === stringType) {
    if (keepsTexts) return { length, numbers: null, holds: "texts", texts: Array.from({ length }, () => file.bytes()) };
    file.skipTexts(length);
    return { length, numbers: null, holds: "texts" };
  }
  if (length <= keptArrayLength) {
    const values = Array.from({ length }, () => element.read(file));
    return { length, numbers: values.map(Number), holds: "values" };
  }
  file.skip(length * element.sizeBytes);
  return { length, numbers: null, holds: "values" };
}

function readTensor(file: FileWindow): GgufTensor {
  const name = file.text();
  const dimensions = file.u32();
  if (dimensions > maximumDimensions) throw new GgufError(`its tensor ${shownText(name)} has ${dimensions} dimensions`);
  const shape = Array.from({ length: dimensions }, () => file.u64());
  return { name, shape, type: file.u32(), offsetBytes: file.u64() };
}

interface ScalarType {
  /** Of a string: the smallest, its length alone. */
  readonly sizeBytes: number;
  readonly read: (file: FileWindow) => GgufScalar;
}

const stringType = 8;
const arrayType = 9;

const scalarTypes: ReadonlyMap<number, ScalarType> = new Map<number, ScalarType>([
  [0, { sizeBytes: 1, read: (file) => file.u8() }],
  [1, { sizeBytes: 1, read: (file) => file.i8() }],
  [2, { sizeBytes: 2, read: (file) => file.u16() }],
  [3, { sizeBytes: 2, read: (file) => file.i16() }],
  [4, { sizeBytes: 4, read: (file) => file.u32() }],
  [5, { sizeBytes: 4, read: (file) => file.i32() }],
  [6, { sizeBytes: 4, read: (file) => file.f32() }],
  [7, { sizeBytes: 1, read: (file) => file.u8() !== 0 }],
  [stringType, { sizeBytes: 8, read: (file) => file.text() }],
  [10, { sizeBytes: 8, read: (file) => file.u64() }],
  [11, { sizeBytes: 8, read: (file) => file.i64() }],
  [12, { sizeBytes: 8, read: (file) => file.f64() }],
]);

function scalar(type: number): ScalarType {
  const found = scalarTypes.get(type);
  if (!found) throw new GgufError(`its header holds a value of the unknown type ${type}`);
  return found;
}
