/// <reference lib="esnext.float16" />

/** Elements and bytes of a block of the types that tensors of tests have, by llama.cpp's numbers. */
export const blockSizes: ReadonlyMap<number, { readonly blockElements: number; readonly blockBytes: number }> = new Map(
  [
    [0, { blockElements: 1, blockBytes: 4 }],
    [1, { blockElements: 1, blockBytes: 2 }],
    [2, { blockElements: 32, blockBytes: 18 }],
    [8, { blockElements: 32, blockBytes: 34 }],
  ],
);

/** A metadata value. Whole numbers are written as u32, number arrays as i32; a fraction needs `float`, and what must be of another type says so. */
export type GgufValue =
  | string
  | boolean
  | number
  | { readonly float: number }
  | { readonly u16: number }
  | { readonly i32: number }
  | readonly string[]
  | readonly number[];

export interface GgufTensor {
  readonly name: string;
  /** Innermost first: a matrix that maps `columns` inputs to `rows` outputs is `[columns, rows]`. */
  readonly shape: readonly number[];
  /** `Uint8Array`: whole blocks of Q8_0, each the scale in F16 and 32 signed bytes. */
  readonly values: Float32Array | Float16Array | Uint8Array;
}

/** A tensor's place in a file, without what is in it. */
interface TensorPlace {
  readonly name: string;
  readonly shape: readonly number[];
  /** llama.cpp's number: 0 is F32, 1 F16, 2 Q4_0, 8 Q8_0. */
  readonly type: number;
}

const valueTypes = { u16: 2, u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
const tensorTypes = { f32: 0, f16: 1, q8: 8 } as const;
const alignment = 32;

/** The bytes of a GGUF file, version 3, little-endian. */
export function ggufBytes(metadata: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Buffer {
  return Buffer.concat(ggufPieces(metadata, tensors));
}

/** The same in pieces to be written one after the other, for files that should not be in memory twice. */
export function ggufPieces(metadata: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Buffer[] {
  const places = tensors.map(({ name, shape, values }) => ({ name, shape, type: tensorTypes[elementName(values)] }));
  return [ggufHeader(metadata, places).bytes, ...tensors.flatMap(tensorData)];
}

/** A header with its padding, and how many bytes of tensors belong behind it. */
export function ggufHeader(
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly TensorPlace[],
): { readonly bytes: Buffer; readonly tensorBytes: number } {
  const entries = Object.entries(metadata);
  const { offsets, end } = tensorOffsets(tensors);
  const header = Buffer.concat([
    Buffer.from("GGUF"),
    u32(3),
    u64(tensors.length),
    u64(entries.length),
    ...entries.flatMap(([key, value]) => [text(key), metadataValue(value)]),
    ...tensors.map((tensor, index) => tensorInfo(tensor, offsets[index] ?? 0)),
  ]);
  return { bytes: Buffer.concat([header, padding(header.length)]), tensorBytes: end };
}

function tensorOffsets(tensors: readonly TensorPlace[]): { offsets: number[]; end: number } {
  const offsets: number[] = [];
  let end = 0;
  for (const { shape, type } of tensors) {
    const { blockElements = 1, blockBytes = 0 } = blockSizes.get(type) ?? {};
    offsets.push(end);
    end = aligned(end + (shape.reduce((product, length) => product * length, 1) / blockElements) * blockBytes);
  }
  return { offsets, end };
}

function tensorInfo({ name, shape, type }: TensorPlace, offset: number): Buffer {
  return Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset)]);
}

function elementName(values: GgufTensor["values"]): keyof typeof tensorTypes {
  if (values instanceof Float32Array) return "f32";
  return values instanceof Uint8Array ? "q8" : "f16";
}

function tensorData({ values }: GgufTensor): Buffer[] {
  return [Buffer.from(values.buffer, values.byteOffset, values.byteLength), padding(values.byteLength)];
}

function metadataValue(value: GgufValue): Buffer {
  if (typeof value === "string") return Buffer.concat([u32(valueTypes.string), text(value)]);
  if (typeof value === "boolean") return Buffer.concat([u32(valueTypes.bool), Buffer.from([value ? 1 : 0])]);
  if (typeof value === "number") return Buffer.concat([u32(valueTypes.u32), u32(value)]);
  if ("i32" in value) return Buffer.concat([u32(valueTypes.i32), i32(value.i32)]);
  if ("u16" in value) return Buffer.concat([u32(valueTypes.u16), Buffer.from([value.u16 & 0xff, value.u16 >> 8])]);
  if ("float" in value) return Buffer.concat([u32(valueTypes.f32), f32(value.float)]);
  const ofText = typeof value[0] === "string";
  const elements = value.map((element) => (typeof element === "string" ? text(element) : i32(element)));
  const elementType = ofText ? valueTypes.string : valueTypes.i32;
  return Buffer.concat([u32(valueTypes.array), u32(elementType), u64(value.length), ...elements]);
}

function aligned(size: number): number {
  return Math.ceil(size / alignment) * alignment;
}

function padding(size: number): Buffer {
  return Buffer.alloc(aligned(size) - size);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

export function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}
