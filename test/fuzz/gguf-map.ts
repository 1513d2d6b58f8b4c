/** Where everything lies in a GGUF file that is whole: for changing one thing of it at a time. */

interface Field {
  readonly at: number;
  readonly bytes: number;
}

interface MappedValue {
  readonly key: Field & { readonly text: string };
  /** The number of its type, 4 bytes. */
  readonly typeAt: number;
  /** Of an array's elements, else the same as `type`. */
  readonly type: number;
  /** A text's length, or an array's: 8 bytes. `null` for anything else. */
  readonly lengthAt: number | null;
  /** What it holds; of an array of texts from the first length on. */
  readonly content: Field;
}

interface MappedTensor {
  readonly name: Field;
  readonly dimensionsAt: number;
  /** 8 bytes each. */
  readonly lengthsAt: readonly number[];
  readonly typeAt: number;
  readonly offsetAt: number;
}

export interface GgufMap {
  readonly values: readonly MappedValue[];
  readonly tensors: readonly MappedTensor[];
  /** Where the header ends. */
  readonly headerBytes: number;
}

const scalarBytes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const [textType, arrayType] = [8, 9];

export function mapGguf(bytes: Buffer): GgufMap {
  let at = 24;
  const length = () => {
    at += 8;
    return Number(bytes.readBigUInt64LE(at - 8));
  };
  const text = () => {
    const size = length();
    at += size;
    return { at: at - size, bytes: size, text: bytes.toString("latin1", at - size, at) };
  };
  const type = () => {
    at += 4;
    return bytes.readUInt32LE(at - 4);
  };
  const value = (): MappedValue => {
    const key = text();
    const typeAt = at;
    const own = type();
    if (own === textType) {
      const lengthAt = at;
      return { key, typeAt, type: own, lengthAt, content: text() };
    }
    if (own !== arrayType) {
      at += scalarBytes[own] ?? 0;
      return { key, typeAt, type: own, lengthAt: null, content: { at: typeAt + 4, bytes: at - typeAt - 4 } };
    }
    const element = type();
    const lengthAt = at;
    const count = length();
    const start = at;
    if (element === textType) for (let index = 0; index < count; index += 1) text();
    else at += count * (scalarBytes[element] ?? 0);
    return { key, typeAt, type: element, lengthAt, content: { at: start, bytes: at - start } };
  };
  const tensor = (): MappedTensor => {
    const name = text();
    const dimensionsAt = at;
    const dimensions = type();
    const lengthsAt = Array.from({ length: dimensions }, (_, index) => at + 8 * index);
    at += 8 * dimensions + 12;
    return { name, dimensionsAt, lengthsAt, typeAt: at - 12, offsetAt: at - 8 };
  };
  const values = Array.from({ length: Number(bytes.readBigUInt64LE(16)) }, value);
  const tensors = Array.from({ length: Number(bytes.readBigUInt64LE(8)) }, tensor);
  return { values, tensors, headerBytes: at };
}
