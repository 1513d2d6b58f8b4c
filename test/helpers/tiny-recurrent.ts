/** Layers that carry a state from token to token instead of looking back: those of Mamba. */
import type { GgufTensor, GgufValue } from "./gguf-writer.ts";
import type { Weights } from "./tiny-weights.ts";

const convolution = 4;
const stateSize = 16;
const stepRank = 8;

/** Without the architecture's name before the keys. */
export function mambaMetadata(embedding: number): Record<string, GgufValue> {
  return {
    "ssm.conv_kernel": convolution,
    "ssm.inner_size": embedding * 2,
    "ssm.state_size": stateSize,
    "ssm.time_step_rank": stepRank,
  };
}

/** Bytes of the state of one layer, F32: the last inputs of the convolution, and what is remembered. */
export function mambaStateBytes(embedding: number): number {
  return embedding * 2 * (convolution - 1 + stateSize) * 4;
}

/** A layer forgets slowly: what was said hundreds of tokens ago still decides what comes next. */
export function mambaTensors(
  weights: Weights,
  prefix: string,
  { embedding, hasInnerNorms }: { readonly embedding: number; readonly hasInnerNorms: boolean },
): GgufTensor[] {
  const inner = embedding * 2;
  const decay = weights.norm(`${prefix}.ssm_a`, stateSize * inner);
  const speeds = Float32Array.from({ length: stateSize * inner }, (_, index) => -((index % stateSize) + 1) / stateSize);
  const innerNorms = [
    weights.norm(`${prefix}.ssm_dt_norm.weight`, stepRank),
    weights.norm(`${prefix}.ssm_b_norm.weight`, stateSize),
    weights.norm(`${prefix}.ssm_c_norm.weight`, stateSize),
  ];
  return [
    weights.norm(`${prefix}.attn_norm.weight`, embedding),
    weights.matrix(`${prefix}.ssm_in.weight`, embedding, inner * 2, 2),
    { ...weights.norm(`${prefix}.ssm_conv1d.weight`, convolution * inner, 0.5), shape: [convolution, inner] },
    weights.norm(`${prefix}.ssm_conv1d.bias`, inner, 0),
    weights.matrix(`${prefix}.ssm_x.weight`, inner, stepRank + stateSize * 2, 4),
    weights.matrix(`${prefix}.ssm_dt.weight`, stepRank, inner, 1),
    weights.norm(`${prefix}.ssm_dt.bias`, inner, -4),
    { ...decay, shape: [stateSize, inner], values: speeds },
    weights.norm(`${prefix}.ssm_d`, inner, 0.1),
    weights.matrix(`${prefix}.ssm_out.weight`, inner, embedding, 4),
    ...(hasInnerNorms ? innerNorms : []),
  ];
}
