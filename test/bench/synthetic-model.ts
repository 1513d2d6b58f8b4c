/**
 * A model of the shape and the cost of half a billion parameters, made here within seconds: random Q8_0 weights, a
 * vocabulary as large as such models have. It answers any text with ordinary words, never an end, and nothing of it is
 * fetched.
 */
import { createCipheriv } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ggufPieces, type GgufTensor, type GgufValue } from "../helpers/gguf-writer.ts";
import { chatMlTemplate, specialTokens, tinyVocabulary } from "../helpers/tiny-vocabulary.ts";

const shape = { layers: 24, heads: 14, keyValueHeads: 2, headSize: 64, embedding: 896, feedForward: 4_864 } as const;
const vocabularySize = 151_936;
const contextTokens = 32_768;

const blockValues = 32;
const blockBytes = 2 + blockValues;
/** Standard deviation of bytes that are spread evenly over -128 to 127. */
const byteDeviation = 74;
const normalToken = 1;

export interface SyntheticModel extends AsyncDisposable {
  readonly path: string;
}

/** Written to a temporary folder (about 670 MB), which goes with it. */
export async function syntheticModel(): Promise<SyntheticModel> {
  const folder = await mkdtemp(join(tmpdir(), "reprise-bench-model-"));
  const path = join(folder, "synthetic-0.5b-q8_0.gguf");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(path, ggufPieces(metadata(), tensors()), { flag: "wx" });
  } catch (caught) {
    await remove();
    throw caught;
  }
  return { path, [Symbol.asyncDispose]: remove };
}

function metadata(): Record<string, GgufValue> {
  const { tokens, types, merges } = tinyVocabulary();
  // Ordinary tokens that no merge leads to.
  const filler = Array.from({ length: vocabularySize - tokens.length }, (_, index) => `filler${index}`);
  return {
    "general.architecture": "llama",
    "general.name": "Synthetic 0.5B",
    "general.file_type": 7,
    "llama.block_count": shape.layers,
    "llama.context_length": contextTokens,
    "llama.embedding_length": shape.embedding,
    "llama.feed_forward_length": shape.feedForward,
    "llama.attention.head_count": shape.heads,
    "llama.attention.head_count_kv": shape.keyValueHeads,
    "llama.attention.key_length": shape.headSize,
    "llama.attention.value_length": shape.headSize,
    "llama.attention.layer_norm_rms_epsilon": { float: 1e-5 },
    "llama.rope.freq_base": { float: 10_000 },
    "llama.rope.dimension_count": shape.headSize,
    "llama.vocab_size": vocabularySize,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": [...tokens, ...filler],
    "tokenizer.ggml.token_type": [...types, ...filler.map(() => normalToken)],
    "tokenizer.ggml.merges": merges,
    "tokenizer.ggml.bos_token_id": tokens.indexOf(specialTokens.start),
    "tokenizer.ggml.eos_token_id": tokens.indexOf(specialTokens.end),
    "tokenizer.ggml.unknown_token_id": tokens.indexOf(specialTokens.endOfText),
    "tokenizer.ggml.padding_token_id": tokens.indexOf(specialTokens.end),
    "tokenizer.ggml.add_bos_token": false,
    "tokenizer.ggml.add_space_prefix": false,
    "tokenizer.chat_template": chatMlTemplate,
  };
}

function tensors(): GgufTensor[] {
  const { embedding } = shape;
  const output = matrix("output.weight", embedding, vocabularySize, 4);
  silenceAllButWords(output);
  return [
    matrix("token_embd.weight", embedding, vocabularySize, 4),
    norm("output_norm.weight", embedding),
    output,
    ...Array.from({ length: shape.layers }, (_, layer) => layerTensors(`blk.${layer}`)).flat(),
  ];
}

function layerTensors(prefix: string): GgufTensor[] {
  const { embedding, feedForward, headSize, keyValueHeads } = shape;
  return [
    norm(`${prefix}.attn_norm.weight`, embedding),
    matrix(`${prefix}.attn_q.weight`, embedding, embedding, 2),
    matrix(`${prefix}.attn_k.weight`, embedding, headSize * keyValueHeads, 2),
    matrix(`${prefix}.attn_v.weight`, embedding, headSize * keyValueHeads, 2),
    matrix(`${prefix}.attn_output.weight`, embedding, embedding, 2),
    norm(`${prefix}.ffn_norm.weight`, embedding),
    matrix(`${prefix}.ffn_gate.weight`, embedding, feedForward, 1),
    matrix(`${prefix}.ffn_up.weight`, embedding, feedForward, 1),
    matrix(`${prefix}.ffn_down.weight`, feedForward, embedding, 1),
  ];
}

/**
 * Words with a space before them come back the same when an answer's text is tokenized again, which the peer's next
 * prompt needs. All other tokens' logits are zero, and of many words one is always above.
 */
function silenceAllButWords(output: GgufTensor): void {
  const { tokens, merges } = tinyVocabulary();
  const ranks = new Map(merges.map((merge, rank) => [merge, rank]));
  const rowBytes = (shape.embedding / blockValues) * blockBytes;
  for (let row = 0; row < vocabularySize; row += 1) {
    const token = tokens[row] ?? "";
    const isWord = token.startsWith("Ġ") && token.length > 2 && mergedPieces(Array.from(token), ranks).length === 1;
    if (!isWord) output.values.fill(0, row * rowBytes, (row + 1) * rowBytes);
  }
}

/** What byte pair encoding makes of a word's letters: of all pairs that may merge, always the one that ranks first. */
function mergedPieces(pieces: readonly string[], ranks: ReadonlyMap<string, number>): readonly string[] {
  const pairRanks = pieces.slice(1).map((piece, index) => ranks.get(`${pieces[index] ?? ""} ${piece}`) ?? Infinity);
  const best = Math.min(...pairRanks);
  if (best === Infinity) return pieces;
  const at = pairRanks.indexOf(best);
  const merged = [...pieces.slice(0, at), pieces.slice(at, at + 2).join(""), ...pieces.slice(at + 2)];
  return mergedPieces(merged, ranks);
}

/** Standard deviation `gain / √inputs`, the same bytes for the same name on every machine. */
function matrix(name: string, inputs: number, outputs: number, gain: number): GgufTensor {
  const values = noise(name, ((inputs * outputs) / blockValues) * blockBytes);
  const scale = new DataView(new ArrayBuffer(2));
  scale.setFloat16(0, gain / Math.sqrt(inputs) / byteDeviation, true);
  const [low, high] = [scale.getUint8(0), scale.getUint8(1)];
  for (let block = 0; block < values.length; block += blockBytes) {
    values[block] = low;
    values[block + 1] = high;
  }
  return { name, shape: [inputs, outputs], values };
}

function norm(name: string, length: number): GgufTensor {
  return { name, shape: [length], values: new Float32Array(length).fill(1) };
}

/** A cipher's stream is noise, and by far the fastest there is. */
function noise(name: string, bytes: number): Uint8Array {
  const key = Buffer.alloc(32, name);
  return createCipheriv("aes-256-ctr", key, Buffer.alloc(16)).update(new Uint8Array(bytes));
}
