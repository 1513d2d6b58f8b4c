/// <reference lib="esnext.float16" />

/** A metadata value. Whole numbers are written as u32, number arrays as i32; anything else with a fraction needs `float`. */
export type GgufValue = string | boolean | number | { readonly float: number } | readonly string[] | readonly number[];

export interface GgufTensor {
  readonly name: string;
  /** Innermost first: a matrix that maps `columns` inputs to `rows` outputs is `[columns, rows]`. */
  readonly shape: readonly number[];
  /** `Uint8Array`: whole blocks of Q8_0, each the scale in F16 and 32 signed bytes. */
  readonly values: Float32Array | Float16Array | Uint8Array;
}

const valueTypes = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
const tensorTypes = { f32: 0, f16: 1, q8: 8 } as const;
const alignment = 32;

/** The bytes of a GGUF file, version 3, little-endian. */
export function ggufBytes(metadata: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Buffer {
  return Buffer.concat(ggufPieces(metadata, tensors));
}

/** The same in pieces to be written one after the other, for files that should not be in memory twice. */
export function ggufPieces(metadata: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Buffer[] {
  const entries = Object.entries(metadata);
  const offsets = tensorOffsets(tensors);
  const header = Buffer.concat([
    Buffer.from("GGUF"),
    u32(3),
    u64(tensors.length),
    u64(entries.length),
    ...entries.flatMap(([key, value]) => [text(key), metadataValue(value)]),
    ...tensors.map((tensor, index) => tensorInfo(tensor, offsets[index] ?? 0)),
  ]);
  return [header, padding(header.length), ...tensors.flatMap(tensorData)];
}

function tensorOffsets(tensors: readonly GgufTensor[]): number[] {
  return tensors.reduce<{ offsets: number[]; end: number }>(
    ({ offsets, end }, { values }) => ({ offsets: [...offsets, end], end: aligned(end + values.byteLength) }),
    { offsets: [], end: 0 },
  ).offsets;
}

function tensorInfo({ name, shape, values }: GgufTensor, offset: number): Buffer {
  const type = tensorTypes[elementName(values)];
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

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}
