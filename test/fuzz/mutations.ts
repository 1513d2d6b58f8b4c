/** Ways in which a model file can be wrong: by accident, by a bad tool, by intent. All of it follows from one seed. */
import type { Random } from "./random.ts";
import { mapGguf, type GgufMap } from "./gguf-map.ts";

type Mutation = (bytes: Buffer, map: GgufMap, random: Random) => string;

const counts = [
  0n,
  1n,
  2n,
  3n,
  255n,
  65_535n,
  2n ** 31n - 1n,
  2n ** 32n,
  2n ** 40n,
  2n ** 62n,
  2n ** 63n,
  2n ** 64n - 1n,
];
const numbers = [
  0,
  1,
  2,
  3,
  5,
  7,
  31,
  32,
  33,
  64,
  127,
  128,
  255,
  256,
  511,
  512,
  513,
  1_024,
  4_096,
  65_535,
  2 ** 20,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
];
const fractions = [0, -0, -1, 1e-30, 1e-5, 1, 1e5, 1e38, Infinity, -Infinity, Number.NaN];
const architectures = [
  "llama",
  "gemma",
  "gemma3",
  "mamba",
  "jamba",
  "qwen2",
  "qwen3",
  "phi3",
  "bert",
  "t5",
  "clip",
  "gpt2",
  "rwkv6",
  "lfm2",
];
const [u32Type, f32Type, boolType, textType] = [4, 6, 7, 8];

const mutations: readonly (readonly [weight: number, mutation: Mutation])[] = [
  [
    2,
    function flippedHeaderBit(bytes, { headerBytes }, random) {
      return flip(bytes, random.below(headerBytes), random);
    },
  ],
  [
    1,
    function flippedTensorBit(bytes, { headerBytes }, random) {
      return flip(bytes, headerBytes + random.below(bytes.length - headerBytes), random);
    },
  ],
  [
    2,
    function noise(bytes, { headerBytes }, random) {
      const at = random.below(headerBytes);
      const length = 1 + random.below(16);
      for (let index = at; index < Math.min(bytes.length, at + length); index += 1) bytes[index] = random.below(256);
      return `${length} bytes at ${at}`;
    },
  ],
  [
    1,
    function count(bytes, _, random) {
      const at = random.pick([8, 16]);
      return writeCount(bytes, at, random);
    },
  ],
  [
    2,
    function length(bytes, { values }, random) {
      const value = random.pick(values.filter(({ lengthAt }) => lengthAt !== null));
      return `${value.key.text}: ${writeCount(bytes, value.lengthAt ?? 0, random)}`;
    },
  ],
  [
    2,
    function valueType(bytes, { values }, random) {
      const value = random.pick(values);
      const type = random.below(16);
      bytes.writeUInt32LE(type, value.typeAt);
      return `${value.key.text}: type ${type}`;
    },
  ],
  [
    8,
    function number(bytes, { values }, random) {
      const value = random.pick(values.filter(({ type, lengthAt }) => type === u32Type && lengthAt === null));
      const now = bytes.readUInt32LE(value.content.at);
      const next = random.pick([...numbers, now + 1, Math.max(0, now - 1), now * 2, Math.floor(now / 2)]) % 2 ** 32;
      bytes.writeUInt32LE(next, value.content.at);
      return `${value.key.text}: ${now} to ${next}`;
    },
  ],
  [
    2,
    function fraction(bytes, { values }, random) {
      const value = random.pick(values.filter(({ type, lengthAt }) => type === f32Type && lengthAt === null));
      const next = random.pick(fractions);
      bytes.writeFloatLE(next, value.content.at);
      return `${value.key.text}: ${next}`;
    },
  ],
  [
    1,
    function flag(bytes, { values }, random) {
      const value = random.pick(values.filter(({ type, lengthAt }) => type === boolType && lengthAt === null));
      bytes[value.content.at] = random.below(256);
      return value.key.text;
    },
  ],
  [
    2,
    function text(bytes, { values }, random) {
      const value = random.pick(values.filter(({ type, content }) => type === textType && content.bytes > 0));
      const at = value.content.at + random.below(value.content.bytes);
      bytes[at] = random.below(256);
      return `${value.key.text}: byte ${at}`;
    },
  ],
  [
    1,
    function architecture(bytes, { values }, random) {
      const value = random.pick(values.filter(({ key }) => key.text === "general.architecture"));
      const name = random.pick(architectures.filter((one) => one.length === value.content.bytes));
      bytes.write(name, value.content.at, "latin1");
      return name;
    },
  ],
  [
    3,
    function missingKey(bytes, { values }, random) {
      const { key } = random.pick(values);
      bytes.write("x", key.at + random.below(key.bytes), "latin1");
      return key.text;
    },
  ],
  [
    1,
    function sameKey(bytes, { values }, random) {
      const one = random.pick(values);
      const others = values.filter(({ key }) => key !== one.key && key.bytes === one.key.bytes);
      bytes.write(others.length === 0 ? "" : random.pick(others).key.text, one.key.at, "latin1");
      return one.key.text;
    },
  ],
  [
    3,
    function element(bytes, { values }, random) {
      const value = random.pick(values.filter(({ lengthAt, type }) => lengthAt !== null && type !== textType));
      const at = value.content.at + 4 * random.below(value.content.bytes / 4);
      bytes.writeInt32LE(random.pick(numbers) | 0, at);
      return value.key.text;
    },
  ],
  [
    3,
    function dimension(bytes, { tensors }, random) {
      const tensor = random.pick(tensors);
      const at = random.pick([...tensor.lengthsAt]);
      const now = bytes.readBigUInt64LE(at);
      const next = random.pick([...counts, now + 1n, now - 1n, now * 2n, now / 2n]);
      bytes.writeBigUInt64LE(next, at);
      return `${now} to ${next}`;
    },
  ],
  [
    1,
    function dimensions(bytes, { tensors }, random) {
      const next = random.below(7);
      bytes.writeUInt32LE(next, random.pick(tensors).dimensionsAt);
      return String(next);
    },
  ],
  [
    2,
    function tensorType(bytes, { tensors }, random) {
      const next = random.below(48);
      bytes.writeUInt32LE(next, random.pick(tensors).typeAt);
      return String(next);
    },
  ],
  [
    2,
    function offset(bytes, { tensors }, random) {
      const tensor = random.pick(tensors);
      const now = bytes.readBigUInt64LE(tensor.offsetAt);
      const next = random.pick([...counts, now + 32n, now + 1n, now < 32n ? 64n : now - 32n]);
      bytes.writeBigUInt64LE(next, tensor.offsetAt);
      return `${now} to ${next}`;
    },
  ],
  [
    2,
    function tensorName(bytes, { tensors }, random) {
      const { name } = random.pick(tensors);
      const at = name.at + random.below(name.bytes);
      bytes[at] = random.pick([0, 46, 48, 57, 120, 255]);
      return `byte ${at}`;
    },
  ],
  [
    1,
    function tensorNoise(bytes, { headerBytes }, random) {
      const at = headerBytes + random.below(bytes.length - headerBytes);
      const end = Math.min(bytes.length, at + 4_096);
      bytes.fill(random.pick([0, 0x7e, 0xff]), at, end);
      return `${end - at} bytes`;
    },
  ],
];

export interface Mutant {
  readonly what: string;
  readonly bytes: Buffer;
}

/** Changes a copy of a whole file in one way, or in up to three; some are cut off or go on too long. */
export function mutant(whole: Buffer, random: Random): Mutant {
  const cut = random.below(20);
  if (cut === 0) return truncated(whole, random);
  if (cut === 1) return { what: "longer", bytes: Buffer.concat([whole, Buffer.alloc(1 + random.below(4_096))]) };
  const bytes = Buffer.from(whole);
  const map = mapGguf(whole);
  const times = random.pick([1, 1, 1, 1, 2, 3]);
  const what = Array.from({ length: times }, () => {
    const mutation = random.pick(map.values.length > 3 ? weighted : withoutValues);
    return `${mutation.name} (${mutation(bytes, map, random)})`;
  });
  return { what: what.join(", "), bytes };
}

const weighted: readonly Mutation[] = mutations.flatMap(([weight, mutation]) =>
  Array.from({ length: weight }, () => mutation),
);

/** For the second part of a model: it has little more than tensors. */
const withoutValues = weighted.filter(({ name }) =>
  /^(flipped|noise|count|valueType|missingKey|dimension|tensor|offset)/.test(name),
);

function truncated(whole: Buffer, random: Random): Mutant {
  const length = random.pick([random.below(64), random.below(8_192), random.below(whole.length), whole.length - 1]);
  return { what: `cut off at ${length}`, bytes: Buffer.from(whole.subarray(0, length)) };
}

function flip(bytes: Buffer, at: number, random: Random): string {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  return `at ${at}`;
}

function writeCount(bytes: Buffer, at: number, random: Random): string {
  const next = random.pick(counts);
  bytes.writeBigUInt64LE(next, at);
  return String(next);
}
