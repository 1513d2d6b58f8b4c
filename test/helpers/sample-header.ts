/** Headers as converters write them, over a handful of small tensors. Shapes count, values do not. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readGgufHeader, type GgufHeader } from "../../src-main/gguf/gguf-header.ts";
import { ggufBytes, type GgufTensor, type GgufValue } from "./gguf-writer.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface SampleShape {
  readonly architecture: string;
  readonly layers: number;
  readonly embedding: number;
  readonly vocabulary: number;
}

const smallShape: SampleShape = { architecture: "llama", layers: 2, embedding: 32, vocabulary: 40 };

/** `general`: keys without their `general.`. `norm`: what the last norm holds, the same for levels of one model. */
export interface SampleModel {
  readonly general?: Readonly<Record<string, GgufValue>>;
  readonly shape?: Partial<SampleShape>;
  readonly norm?: number;
  readonly withOutput?: boolean;
  readonly type?: "f32" | "f16";
  readonly metadata?: Readonly<Record<string, GgufValue>>;
}

/** The bytes of a file that passes for a whole model, though no engine would load it. */
export function sampleModel({ general = {}, shape: changed = {}, norm = 1, ...rest }: SampleModel = {}): Buffer {
  const { withOutput = true, type = "f16", metadata = {} } = rest;
  const shape = { ...smallShape, ...changed };
  const { architecture, layers, embedding, vocabulary } = shape;
  const named = Object.entries(general).map(([key, value]) => [`general.${key}`, value] as const);
  const weights = (name: string, ...lengths: number[]): GgufTensor => {
    const count = lengths.reduce((product, length) => product * length, 1);
    return { name, shape: lengths, values: type === "f32" ? new Float32Array(count) : new Float16Array(count) };
  };
  return ggufBytes(
    {
      "general.architecture": architecture,
      ...Object.fromEntries(named),
      [`${architecture}.block_count`]: layers,
      [`${architecture}.embedding_length`]: embedding,
      [`${architecture}.feed_forward_length`]: embedding * 2,
      [`${architecture}.attention.head_count`]: 4,
      [`${architecture}.context_length`]: 4_096,
      "tokenizer.ggml.model": "gpt2",
      "tokenizer.ggml.tokens": Array.from({ length: vocabulary }, (_, index) => `t${index}`),
      ...metadata,
    },
    [
      weights("token_embd.weight", embedding, vocabulary),
      { name: "output_norm.weight", shape: [embedding], values: new Float32Array(embedding).fill(norm) },
      ...(withOutput ? [weights("output.weight", embedding, vocabulary)] : []),
      ...Array.from({ length: layers }, (_, layer) => weights(`blk.${layer}.attn_q.weight`, embedding, embedding)),
    ],
  );
}

export function sampleHeader(model: SampleModel = {}): GgufHeader {
  const path = join(temporaryFolder(), "sample.gguf");
  writeFileSync(path, sampleModel(model));
  return readGgufHeader(path);
}
