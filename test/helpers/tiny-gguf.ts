/**
 * Writes GGUF files of about a megabyte that llama.cpp loads and decodes like any other: a valid architecture, random
 * weights from a seed, a real byte-level tokenizer. What they answer is noise, but the same noise each time, and it
 * depends on the whole context: so a wrong cache shows. All of it is made here, nothing is fetched.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ggufBytes, type GgufTensor, type GgufValue } from "./gguf-writer.ts";
import { chatMlTemplate, specialTokens, tinyVocabulary, type TinyVocabulary } from "./tiny-vocabulary.ts";
import { seededWeights, type Weights } from "./tiny-weights.ts";

interface TinyModel {
  /** `sliding-window`: Gemma 3's architecture, where every second layer sees only the last `windowTokens`. */
  readonly variant: "llama" | "sliding-window";
  readonly seed: number;
  readonly name: string;
  readonly layers: number;
  readonly heads: number;
  /** Fewer than `heads`: grouped-query attention. */
  readonly keyValueHeads: number;
  /** A multiple of `heads`. The default gives heads of 32, so that quantized caches work too. */
  readonly embedding: number;
  readonly contextTokens: number;
  readonly windowTokens: number;
  readonly addsBos: boolean;
  /** `never`: it goes on until it is stopped. `soon`: it ends after a few tokens, how many is left to the seed. */
  readonly ends: "never" | "soon";
  /** `null`: the file has none. */
  readonly chatTemplate: string | null;
}

const defaults: TinyModel = {
  variant: "llama",
  seed: 1,
  name: "Tiny",
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  embedding: 128,
  contextTokens: 4_096,
  windowTokens: 64,
  addsBos: false,
  ends: "never",
  chatTemplate: chatMlTemplate,
};

export type TinyModelOptions = Partial<TinyModel>;

/** Writes the model to `path`, folders included, and returns `path`. */
export async function writeTinyGguf(path: string, options: TinyModelOptions = {}): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, tinyGguf(options));
  return path;
}

/** The bytes of the model. */
export function tinyGguf(options: TinyModelOptions = {}): Buffer {
  const model = { ...defaults, ...options };
  const vocabulary = tinyVocabulary();
  const architecture = model.variant === "llama" ? "llama" : "gemma3";
  const metadata: Record<string, GgufValue> = {
    "general.architecture": architecture,
    "general.name": model.name,
    "general.file_type": 1,
    ...architectureMetadata(architecture, model),
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": vocabulary.tokens,
    "tokenizer.ggml.token_type": vocabulary.types,
    "tokenizer.ggml.merges": vocabulary.merges,
    "tokenizer.ggml.bos_token_id": vocabulary.tokens.indexOf(specialTokens.start),
    "tokenizer.ggml.eos_token_id": vocabulary.tokens.indexOf(specialTokens.end),
    "tokenizer.ggml.unknown_token_id": vocabulary.tokens.indexOf(specialTokens.endOfText),
    "tokenizer.ggml.padding_token_id": vocabulary.tokens.indexOf(specialTokens.end),
    "tokenizer.ggml.add_bos_token": model.addsBos,
    "tokenizer.ggml.add_space_prefix": false,
    ...(model.chatTemplate === null ? {} : { "tokenizer.chat_template": model.chatTemplate }),
  };
  return ggufBytes(metadata, modelTensors(model, vocabulary));
}

function architectureMetadata(architecture: string, model: TinyModel): Record<string, GgufValue> {
  const headSize = model.embedding / model.heads;
  const window = {
    "attention.sliding_window": model.windowTokens,
    "attention.sliding_window_pattern": 2,
  };
  const values: Record<string, GgufValue> = {
    block_count: model.layers,
    context_length: model.contextTokens,
    embedding_length: model.embedding,
    feed_forward_length: model.embedding * 2,
    "attention.head_count": model.heads,
    "attention.head_count_kv": model.keyValueHeads,
    "attention.key_length": headSize,
    "attention.value_length": headSize,
    "attention.layer_norm_rms_epsilon": { float: 1e-5 },
    "rope.freq_base": { float: 10_000 },
    "rope.dimension_count": headSize,
    ...(model.variant === "sliding-window" ? window : {}),
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${architecture}.${key}`, value]));
}

function modelTensors(model: TinyModel, vocabulary: TinyVocabulary): GgufTensor[] {
  const weights = seededWeights(model.seed);
  const vocabularySize = vocabulary.tokens.length;
  const output = weights.matrix("output.weight", model.embedding, vocabularySize, 4);
  scaleControlRows(output, model, vocabulary);
  return [
    // Gemma multiplies embeddings by the root of their length; either way layers must outweigh the last token's own.
    weights.matrix("token_embd.weight", model.embedding, vocabularySize, model.variant === "llama" ? 4 : 0.5),
    weights.norm("output_norm.weight", model.embedding),
    output,
    ...Array.from({ length: model.layers }, (_, layer) => layerTensors(model, weights, `blk.${layer}`)).flat(),
  ];
}

/** A control token's logit is its row times the state: zero never wins, three times the usual size often does. */
function scaleControlRows(output: GgufTensor, { embedding, ends }: TinyModel, { tokens }: TinyVocabulary): void {
  for (const token of Object.values(specialTokens)) {
    const factor = ends === "soon" && token === specialTokens.end ? 3 : 0;
    const row = tokens.indexOf(token) * embedding;
    for (let index = row; index < row + embedding; index += 1)
      output.values[index] = (output.values[index] ?? 0) * factor;
  }
}

function layerTensors(model: TinyModel, weights: Weights, prefix: string): GgufTensor[] {
  const { embedding } = model;
  const headSize = embedding / model.heads;
  const keyValueSize = headSize * model.keyValueHeads;
  const shared = [
    weights.norm(`${prefix}.attn_norm.weight`, embedding),
    // Sharp attention: with weights of the usual size, each token would see little more than an average of all others.
    weights.matrix(`${prefix}.attn_q.weight`, embedding, embedding, 2),
    weights.matrix(`${prefix}.attn_k.weight`, embedding, keyValueSize, 2),
    weights.matrix(`${prefix}.attn_v.weight`, embedding, keyValueSize, 2),
    weights.matrix(`${prefix}.attn_output.weight`, embedding, embedding, 2),
    weights.norm(`${prefix}.ffn_norm.weight`, embedding),
    weights.matrix(`${prefix}.ffn_gate.weight`, embedding, embedding * 2, 1),
    weights.matrix(`${prefix}.ffn_up.weight`, embedding, embedding * 2, 1),
    weights.matrix(`${prefix}.ffn_down.weight`, embedding * 2, embedding, 1),
  ];
  if (model.variant === "llama") return shared;
  const gemmaNorms = [
    weights.norm(`${prefix}.attn_q_norm.weight`, headSize, 2),
    weights.norm(`${prefix}.attn_k_norm.weight`, headSize, 2),
    weights.norm(`${prefix}.post_attention_norm.weight`, embedding),
    weights.norm(`${prefix}.post_ffw_norm.weight`, embedding),
  ];
  return [...shared, ...gemmaNorms];
}
