/** Layers that look back at every token, or at a window of them. */
import type { GgufTensor } from "./gguf-writer.ts";
import type { Weights } from "./tiny-weights.ts";

interface LayerShape {
  readonly embedding: number;
  readonly heads: number;
  readonly keyValueHeads: number;
}

export function attentionTensors(weights: Weights, prefix: string, shape: LayerShape): GgufTensor[] {
  const { embedding } = shape;
  const keyValueSize = headSize(shape) * shape.keyValueHeads;
  return [
    weights.norm(`${prefix}.attn_norm.weight`, embedding),
    // Sharp attention: with weights of the usual size, each token would see little more than an average of all others.
    weights.matrix(`${prefix}.attn_q.weight`, embedding, embedding, 2),
    weights.matrix(`${prefix}.attn_k.weight`, embedding, keyValueSize, 2),
    weights.matrix(`${prefix}.attn_v.weight`, embedding, keyValueSize, 2),
    weights.matrix(`${prefix}.attn_output.weight`, embedding, embedding, 2),
  ];
}

export function feedForwardTensors(weights: Weights, prefix: string, { embedding }: LayerShape): GgufTensor[] {
  return [
    weights.norm(`${prefix}.ffn_norm.weight`, embedding),
    weights.matrix(`${prefix}.ffn_gate.weight`, embedding, embedding * 2, 1),
    weights.matrix(`${prefix}.ffn_up.weight`, embedding, embedding * 2, 1),
    weights.matrix(`${prefix}.ffn_down.weight`, embedding * 2, embedding, 1),
  ];
}

/** What Gemma's layers have beside. */
export function gemmaNorms(weights: Weights, prefix: string, shape: LayerShape): GgufTensor[] {
  return [
    weights.norm(`${prefix}.attn_q_norm.weight`, headSize(shape), 2),
    weights.norm(`${prefix}.attn_k_norm.weight`, headSize(shape), 2),
    weights.norm(`${prefix}.post_attention_norm.weight`, shape.embedding),
    weights.norm(`${prefix}.post_ffw_norm.weight`, shape.embedding),
  ];
}

function headSize({ embedding, heads }: LayerShape): number {
  return embedding / heads;
}
