import { writeFile } from "node:fs/promises";
import { ggufBytes, type GgufTensor, type GgufValue } from "./gguf-writer.ts";
import { seededWeights } from "./tiny-weights.ts";

interface TinyLora {
  readonly seed: number;
  readonly architecture: string;
  /** Of the model it is for. */
  readonly embedding: number;
  /** In place of what an adapter has. */
  readonly metadata: Readonly<Record<string, GgufValue>>;
  /** The tensor it changes; by default one whose outputs become values, so that the cells show it. */
  readonly target: string;
  readonly outputs: number;
}

const defaults: TinyLora = {
  seed: 7,
  architecture: "llama",
  embedding: 128,
  metadata: {},
  target: "blk.0.attn_v.weight",
  outputs: 64,
};

const rank = 4;

/** Writes a LoRA adapter for the tiny model, strong enough to change every answer, and returns `path`. */
export async function writeTinyLora(path: string, options: Partial<TinyLora> = {}): Promise<string> {
  const { seed, architecture, embedding, metadata, target, outputs } = { ...defaults, ...options };
  const weights = seededWeights(seed);
  const tensors: GgufTensor[] = [
    weights.matrix(`${target}.lora_a`, embedding, rank, 2),
    weights.matrix(`${target}.lora_b`, rank, outputs, 2),
  ];
  const common = {
    "general.type": "adapter",
    "general.architecture": architecture,
    "adapter.type": "lora",
    "adapter.lora.alpha": { float: rank },
  };
  await writeFile(path, ggufBytes({ ...common, ...metadata }, tensors));
  return path;
}
