/**
 * Model files of any shape and size that take hardly any room: a whole header, and behind it as many zeros as the tensors
 * would take, which the file system does not store. llama.cpp maps and loads them like others; what they answer is nothing.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { ggufHeader, type GgufValue } from "./gguf-writer.ts";
import { tinyVocabulary } from "./tiny-vocabulary.ts";

export interface HollowModel {
  readonly architecture: "llama" | "gemma3";
  readonly layers: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly embedding: number;
  readonly feedForward: number;
  readonly vocabulary: number;
  readonly contextTokens: number;
  /** Gemma's: of `windowPeriod` layers all but the last see that many tokens. */
  readonly windowTokens?: number;
  readonly windowPeriod?: number;
}

interface Place {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: number;
}

const types = { f32: 0, f16: 1 } as const;

/** Writes a model's file and returns its path. */
export function writeHollowGguf(path: string, model: HollowModel): string {
  return writeHollowFile(path, hollowMetadata(model), hollowTensors(model));
}

/** Writes any header with room for its tensors. */
export function writeHollowFile(
  path: string,
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly Place[],
): string {
  return writeHollow(path, ggufHeader(metadata, tensors));
}

/** Writes a header that was made before. */
export function writeHollow(path: string, { bytes, tensorBytes }: ReturnType<typeof ggufHeader>): string {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "wx");
  try {
    writeSync(file, bytes);
    ftruncateSync(file, bytes.length + tensorBytes);
  } finally {
    closeSync(file);
  }
  return path;
}

/** What a model's file says of it. Ordinary words beyond those that text is made of are called `filler` with a number. */
export function hollowMetadata(model: HollowModel): Record<string, GgufValue> {
  const { tokens, types: tokenTypes, merges } = tinyVocabulary();
  const filler = Array.from({ length: Math.max(0, model.vocabulary - tokens.length) }, (_, index) => `filler${index}`);
  const { windowTokens, windowPeriod = 2 } = model;
  const values: Record<string, GgufValue> = {
    block_count: model.layers,
    context_length: model.contextTokens,
    embedding_length: model.embedding,
    feed_forward_length: model.feedForward,
    "attention.head_count": model.heads,
    "attention.head_count_kv": model.keyValueHeads,
    "attention.key_length": model.headSize,
    "attention.value_length": model.headSize,
    "attention.layer_norm_rms_epsilon": { float: 1e-5 },
    "rope.dimension_count": model.headSize,
    ...(windowTokens !== undefined && {
      "attention.sliding_window": windowTokens,
      "attention.sliding_window_pattern": windowPeriod,
    }),
  };
  return {
    "general.architecture": model.architecture,
    "general.name": "Hollow",
    "general.file_type": 1,
    ...Object.fromEntries(Object.entries(values).map(([key, value]) => [`${model.architecture}.${key}`, value])),
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": [...tokens, ...filler],
    "tokenizer.ggml.token_type": [...tokenTypes, ...filler.map(() => 1)],
    "tokenizer.ggml.merges": merges,
  };
}

export function hollowTensors(model: HollowModel): Place[] {
  const { embedding, vocabulary, layers } = model;
  return [
    { name: "token_embd.weight", shape: [embedding, vocabulary], type: types.f16 },
    { name: "output_norm.weight", shape: [embedding], type: types.f32 },
    { name: "output.weight", shape: [embedding, vocabulary], type: types.f16 },
    ...Array.from({ length: layers }, (_, layer) => layerTensors(model, `blk.${layer}`)).flat(),
  ];
}

function layerTensors(model: HollowModel, prefix: string): Place[] {
  const { embedding, feedForward, heads, keyValueHeads, headSize } = model;
  const matrix = (name: string, inputs: number, outputs: number): Place => ({
    name: `${prefix}.${name}.weight`,
    shape: [inputs, outputs],
    type: types.f16,
  });
  const norm = (name: string, length: number): Place => ({
    name: `${prefix}.${name}.weight`,
    shape: [length],
    type: types.f32,
  });
  const gemma = [
    norm("attn_q_norm", headSize),
    norm("attn_k_norm", headSize),
    norm("post_attention_norm", embedding),
    norm("post_ffw_norm", embedding),
  ];
  return [
    norm("attn_norm", embedding),
    matrix("attn_q", embedding, heads * headSize),
    matrix("attn_k", embedding, keyValueHeads * headSize),
    matrix("attn_v", embedding, keyValueHeads * headSize),
    matrix("attn_output", heads * headSize, embedding),
    norm("ffn_norm", embedding),
    matrix("ffn_gate", embedding, feedForward),
    matrix("ffn_up", embedding, feedForward),
    matrix("ffn_down", feedForward, embedding),
    ...(model.architecture === "gemma3" ? gemma : []),
  ];
}
