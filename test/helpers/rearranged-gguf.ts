/** A GGUF file put together otherwise: in several parts, or with its tensors at other places. Nothing in them changes. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readGgufHeader, type GgufTensor } from "../../src-main/gguf/gguf-header.ts";
import { u32, u64 } from "./gguf-writer.ts";

interface Pieces {
  /** Keys and values as they are in the file, and how many. */
  readonly keys: Buffer;
  readonly keyCount: number;
  readonly tensors: readonly { readonly tensor: GgufTensor; readonly data: Buffer }[];
}

const usualAlignment = 32;
const typeNumbers = { u16: 2, u32: 4, i32: 5 } as const;

/** `path` with its tensors at multiples of `alignment`, as its metadata then says. Returns `target`. */
export function writeAligned(path: string, target: string, alignment: number): string {
  const { keys, keyCount, tensors } = takeApart(path);
  const said = key("general.alignment", "u32", alignment);
  writeFileSync(target, putTogether({ keys: Buffer.concat([keys, said]), keyCount: keyCount + 1, tensors }, alignment));
  return target;
}

/** `path` in two parts below `folder`, named as llama.cpp names them. Returns the path of the first. */
export function writeSplit(path: string, folder: string): string {
  const whole = takeApart(path);
  mkdirSync(folder);
  const half = Math.ceil(whole.tensors.length / 2);
  const parts = [whole.tensors.slice(0, half), whole.tensors.slice(half)];
  const paths = parts.map((tensors, index) => {
    const partPath = join(folder, `model-${String(index + 1).padStart(5, "0")}-of-00002.gguf`);
    const split = [
      key("split.no", "u16", index),
      key("split.count", "u16", parts.length),
      key("split.tensors.count", "i32", whole.tensors.length),
    ];
    const keys = Buffer.concat([...(index === 0 ? [whole.keys] : []), ...split]);
    const keyCount = split.length + (index === 0 ? whole.keyCount : 0);
    writeFileSync(partPath, putTogether({ keys, keyCount, tensors }, usualAlignment));
    return partPath;
  });
  return String(paths[0]);
}

function takeApart(path: string): Pieces {
  const bytes = readFileSync(path);
  const { tensors } = readGgufHeader(path);
  const starts = tensors.map(({ offsetBytes }) => offsetBytes);
  const endOf = (start: number) => Math.min(bytes.length, ...starts.filter((other) => other > start));
  return {
    keys: bytes.subarray(24, bytes.indexOf(text(tensors[0]?.name ?? ""))),
    keyCount: Number(bytes.readBigUInt64LE(16)),
    tensors: tensors.map((tensor) => ({
      tensor,
      data: bytes.subarray(tensor.offsetBytes, endOf(tensor.offsetBytes)),
    })),
  };
}

function putTogether({ keys, keyCount, tensors }: Pieces, alignment: number): Buffer {
  let offset = 0;
  const infos = tensors.map(({ tensor: { name, shape, type }, data }) => {
    const info = Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset)]);
    offset += aligned(data.length, alignment);
    return info;
  });
  const header = Buffer.concat([Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(keyCount), keys, ...infos]);
  return Buffer.concat([header, ...tensors.map(({ data }) => data)].map((piece) => padded(piece, alignment)));
}

function key(name: string, type: keyof typeof typeNumbers, value: number): Buffer {
  const bytes = u32(value);
  return Buffer.concat([text(name), u32(typeNumbers[type]), type === "u16" ? bytes.subarray(0, 2) : bytes]);
}

function aligned(length: number, alignment: number): number {
  return Math.ceil(length / alignment) * alignment;
}

function padded(piece: Buffer, alignment: number): Buffer {
  return Buffer.concat([piece, Buffer.alloc(aligned(piece.length, alignment) - piece.length)]);
}

function text(value: string): Buffer {
  return Buffer.concat([u64(value.length), Buffer.from(value)]);
}
