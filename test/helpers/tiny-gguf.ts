/**
 * Writes GGUF files of about a megabyte that llama.cpp loads and decodes like any other: a valid architecture, random
 * weights from a seed, a real byte-level tokenizer. What they answer is noise, but the same noise each time, and it
 * depends on the whole context: so a wrong cache shows. All of it is made here, nothing is fetched.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ggufBytes, type GgufTensor, type GgufValue } from "./gguf-writer.ts";
import { attentionTensors, feedForwardTensors, gemmaNorms } from "./tiny-layers.ts";
import { mambaMetadata, mambaTensors } from "./tiny-recurrent.ts";
import { chatMlTemplate, specialTokens, tinyVocabulary, type TinyVocabulary } from "./tiny-vocabulary.ts";
import { seededWeights, type Weights } from "./tiny-weights.ts";

interface TinyModel {
  /**
   * `sliding-window`: Gemma 3's architecture, where every second layer sees only the last `windowTokens`. `recurrent`:
   * Mamba's, where no layer looks back. `hybrid`: Jamba's, where every second layer, from the second on, does.
   */
  readonly variant: "llama" | "sliding-window" | "recurrent" | "hybrid";
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
  readonly ropeFrequencyBase: number;
  /** By which positions are divided; `null`: the file does not say. */
  readonly ropeFactor: number | null;
  /** `llama` only: two sets of RoPE factors, of which the long ones are for contexts of more tokens; `null`: none. */
  readonly shortFactorsTokens: number | null;
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
  ropeFrequencyBase: 10_000,
  ropeFactor: null,
  shortFactorsTokens: null,
  addsBos: false,
  ends: "never",
  chatTemplate: chatMlTemplate,
};

const architectures: Readonly<Record<TinyModel["variant"], string>> = {
  llama: "llama",
  "sliding-window": "gemma3",
  recurrent: "mamba",
  hybrid: "jamba",
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
  const { metadata, tensors } = tinyContents(options);
  return ggufBytes(metadata, tensors);
}

/** The bytes of its files, where it lies in two: the names must end in `-00001-of-00002.gguf` and so on. */
export function tinySplitGguf(options: TinyModelOptions = {}): [first: Buffer, second: Buffer] {
  const { metadata, tensors } = tinyContents(options);
  const split = (number: number) => ({
    "split.no": { u16: number },
    "split.count": { u16: 2 },
    "split.tensors.count": { i32: tensors.length },
  });
  const middle = Math.ceil(tensors.length / 2);
  return [
    ggufBytes({ ...metadata, ...split(0) }, tensors.slice(0, middle)),
    ggufBytes(split(1), tensors.slice(middle)),
  ];
}

function tinyContents(options: TinyModelOptions) {
  const model = { ...defaults, ...options };
  const vocabulary = tinyVocabulary();
  const architecture = architectures[model.variant];
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
  return { metadata, tensors: modelTensors(model, vocabulary) };
}

function architectureMetadata(architecture: string, model: TinyModel): Record<string, GgufValue> {
  const values: Record<string, GgufValue> = {
    block_count: model.layers,
    context_length: model.contextTokens,
    embedding_length: model.embedding,
    feed_forward_length: model.embedding * 2,
    "attention.layer_norm_rms_epsilon": { float: 1e-5 },
    ...attentionMetadata(model),
    ...(isRecurrent(model) ? mambaMetadata(model.embedding) : {}),
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${architecture}.${key}`, value]));
}

function attentionMetadata(model: TinyModel): Record<string, GgufValue> {
  const headSize = model.embedding / model.heads;
  const keyValueHeads = Array.from({ length: model.layers }, (_, layer) =>
    looksBack(model, layer) ? model.keyValueHeads : 0,
  );
  const window = {
    "attention.sliding_window": model.windowTokens,
    "attention.sliding_window_pattern": 2,
  };
  return {
    "attention.head_count": model.variant === "recurrent" ? 0 : model.heads,
    "attention.head_count_kv": isRecurrent(model) ? keyValueHeads : model.keyValueHeads,
    "attention.key_length": headSize,
    "attention.value_length": headSize,
    "rope.freq_base": { float: model.ropeFrequencyBase },
    ...(model.ropeFactor === null ? {} : { "rope.scaling.factor": { float: model.ropeFactor } }),
    "rope.dimension_count": headSize,
    ...(model.variant === "sliding-window" ? window : {}),
    ...(model.shortFactorsTokens === null
      ? {}
      : { "rope.scaling.type": "longrope", "rope.scaling.original_context_length": model.shortFactorsTokens }),
  };
}

/** Whether some of its layers carry a state. */
function isRecurrent({ variant }: Pick<TinyModel, "variant">): boolean {
  return variant === "recurrent" || variant === "hybrid";
}

/** Whether a layer is one with attention. */
function looksBack({ variant }: Pick<TinyModel, "variant">, layer: number): boolean {
  return variant === "hybrid" ? layer % 2 === 1 : variant !== "recurrent";
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
    ...(model.shortFactorsTokens === null ? [] : ropeFactors(model, weights)),
    ...Array.from({ length: model.layers }, (_, layer) => layerTensors(model, weights, layer)).flat(),
  ];
}

/** The same tokens get quite other keys from the one and from the other. */
function ropeFactors({ embedding, heads }: TinyModel, weights: Weights): GgufTensor[] {
  const length = embedding / heads / 2;
  return [weights.norm("rope_factors_short.weight", length, 1), weights.norm("rope_factors_long.weight", length, 4)];
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

function layerTensors(model: TinyModel, weights: Weights, layer: number): GgufTensor[] {
  const { embedding, variant } = model;
  const prefix = `blk.${layer}`;
  if (variant === "recurrent") return mambaTensors(weights, prefix, { embedding, hasInnerNorms: false });
  const mixing = looksBack(model, layer)
    ? attentionTensors(weights, prefix, model)
    : mambaTensors(weights, prefix, { embedding, hasInnerNorms: true });
  const shared = [...mixing, ...feedForwardTensors(weights, prefix, model)];
  return variant === "sliding-window" ? [...shared, ...gemmaNorms(weights, prefix, model)] : shared;
}
