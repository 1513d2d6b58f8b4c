/** Importance matrices as llama.cpp's `imatrix` writes them, in both of its formats. */
import { writeFileSync } from "node:fs";
import { ggufBytes, type GgufTensor } from "./gguf-writer.ts";

/** Sums of squares by tensor, and how often they were added to: once for each expert. */
export type Sums = Readonly<Record<string, { readonly sums: readonly number[]; readonly counts: readonly number[] }>>;

interface Measured {
  readonly datasets: readonly string[];
  readonly chunks: number;
}

const measured: Measured = { datasets: ["text.txt"], chunks: 3 };

export function writeImatrix(path: string, sums: Sums, { datasets, chunks } = measured): string {
  const tensors = Object.entries(sums).flatMap(([name, entry]): GgufTensor[] => [
    { name: `${name}.in_sum2`, shape: [entry.sums.length], values: Float32Array.from(entry.sums) },
    { name: `${name}.counts`, shape: [entry.counts.length], values: Float32Array.from(entry.counts) },
  ]);
  const metadata = {
    "general.type": "imatrix",
    "imatrix.datasets": datasets,
    "imatrix.chunk_count": chunks,
    "imatrix.chunk_size": 512,
  };
  writeFileSync(path, ggufBytes(metadata, tensors));
  return path;
}

/** The older format, which has one count for a tensor. `end`: what older programs leave out. */
export function writeLegacyImatrix(path: string, sums: Sums, end: Measured | null = measured): string {
  const int = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    return bytes;
  };
  const text = (value: string) => Buffer.concat([int(Buffer.byteLength(value)), Buffer.from(value)]);
  const entries = Object.entries(sums).map(([name, entry]) => {
    const values = Buffer.from(Float32Array.from(entry.sums).buffer);
    return Buffer.concat([text(name), int(entry.counts[0] ?? 0), int(entry.sums.length), values]);
  });
  const tail = end === null ? [] : [int(end.chunks), text(end.datasets[0] ?? "")];
  writeFileSync(path, Buffer.concat([int(entries.length), ...entries, ...tail]));
  return path;
}

/** For every matrix of the tiny model: inputs of different importance. */
export function tinySums(embedding: number, layers: number): Sums {
  const inputs = { ffn_down: embedding * 2 };
  const matrices = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"];
  const entries = Array.from({ length: layers }, (_, layer) => matrices.map((matrix) => ({ layer, matrix }))).flat();
  return Object.fromEntries(
    entries.map(({ layer, matrix }) => {
      const length = matrix in inputs ? inputs.ffn_down : embedding;
      const sums = Array.from({ length }, (_, input) => 1 + ((input * 7 + layer) % 13));
      return [`blk.${layer}.${matrix}.weight`, { sums, counts: [4] }];
    }),
  );
}
