/**
 * How long it takes to read the headers of 500 model files with vocabularies as large as such models have, and what stays
 * in memory of it. The files are made here; their tensors take no room on the disk and are never read.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readGgufHeader } from "../../src-main/gguf/gguf-header.ts";
import { ggufHeader } from "../helpers/gguf-writer.ts";
import { hollowMetadata, hollowTensors, writeHollow, type HollowModel } from "../helpers/hollow-gguf.ts";

const files = 500;
const vocabulary = 151_936;
const limitMs = 2_000;

const model: HollowModel = {
  architecture: "llama",
  layers: 32,
  heads: 32,
  keyValueHeads: 8,
  headSize: 128,
  embedding: 4_096,
  feedForward: 14_336,
  vocabulary,
  contextTokens: 131_072,
};

interface Measurement {
  readonly ms: number;
  readonly heapGrowthBytes: number;
  readonly residentGrowthBytes: number;
}

/** Merges are as many as tokens in such vocabularies, and longer. */
function metadata() {
  const merges = Array.from({ length: vocabulary - 1_000 }, (_, index) => `left${index} right${index}`);
  return { ...hollowMetadata(model), "tokenizer.ggml.merges": merges };
}

function measure(paths: readonly string[]): Measurement {
  globalThis.gc?.();
  const before = process.memoryUsage();
  const startedAt = performance.now();
  let tensors = 0;
  for (const path of paths) tensors += readGgufHeader(path).tensors.length;
  const ms = performance.now() - startedAt;
  if (tensors !== paths.length * hollowTensors(model).length) throw new Error("Not every header was read.");
  globalThis.gc?.();
  const after = process.memoryUsage();
  return {
    ms,
    heapGrowthBytes: after.heapUsed - before.heapUsed,
    residentGrowthBytes: after.rss - before.rss,
  };
}

/** Prints what was measured and returns it. The first round has to load the code, and perhaps the files from the disk. */
export function run(): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-headers-"));
  try {
    const header = ggufHeader(metadata(), hollowTensors(model));
    const headerBytes = header.bytes.length;
    const paths = Array.from({ length: files }, (_, index) => writeHollow(join(folder, `model-${index}.gguf`), header));
    const rounds = [measure(paths), measure(paths), measure(paths)];
    console.log(`${files} headers of ${(headerBytes / 1e6).toFixed(1)} MB, ${vocabulary} tokens each`);
    for (const { ms, heapGrowthBytes, residentGrowthBytes } of rounds) {
      const growth = [heapGrowthBytes, residentGrowthBytes].map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`);
      console.log(`${ms.toFixed(0).padStart(6)} ms   heap +${growth.join(", resident +")}`);
    }
    const best = Math.min(...rounds.map(({ ms }) => ms));
    console.log(best < limitMs ? `Within ${limitMs} ms.` : `Slower than ${limitMs} ms.`);
    return Promise.resolve({ bench: "headers", files, vocabulary, headerBytes, rounds });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
