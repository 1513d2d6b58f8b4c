/** Layers that carry a state from token to token, and how large it is. As in llama.cpp, architecture by architecture. */
import type { GgufHeader } from "./gguf-header.ts";
import { layerValues, numberValue } from "./gguf-values.ts";

const onlyRecurrent = new Set(["mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"]);
/** Recurrent where a layer has no key-value heads. */
const byHeads = new Set([
  "jamba",
  "plamo2",
  "granitehybrid",
  "lfm2",
  "lfm2moe",
  "kimi-linear",
  "kimi-k3",
  "bailingmoe3",
]);
/** Recurrent but for every nth layer. */
const byInterval: ReadonlyMap<string, number> = new Map([
  ["qwen3next", 4],
  ["qwen35", 4],
  ["qwen35moe", 4],
  ["qwen4exp", 4],
  ["minimax-01", 8],
]);

/** Whether no layer of such a model looks back. */
export function isOnlyRecurrent(architecture: string): boolean {
  return onlyRecurrent.has(architecture);
}

interface LayerMix {
  readonly isRecurrent: boolean;
  readonly hasAttention: boolean;
}

/** `trunkLayers`: without those behind the model's own stack, which keep nothing. */
export function layerMix(
  header: GgufHeader,
  architecture: string,
  kvHeads: readonly number[],
  trunkLayers: number,
): readonly LayerMix[] {
  const feedForward = layerValues(header, `${architecture}.feed_forward_length`, kvHeads.length);
  const interval = byInterval.get(architecture);
  const marked = layerValues(header, `${architecture}.attention.recurrent_layers`, kvHeads.length);
  const every = numberValue(header, `${architecture}.full_attention_interval`) ?? interval ?? 1;
  return kvHeads.map((heads, layer) => {
    if (layer >= trunkLayers) return { isRecurrent: false, hasAttention: false };
    if (onlyRecurrent.has(architecture)) return { isRecurrent: true, hasAttention: false };
    if (architecture === "falcon-h1") return { isRecurrent: true, hasAttention: true };
    if (architecture.startsWith("nemotron_h")) {
      const isMixing = (feedForward?.[layer] ?? 0) === 0;
      return { isRecurrent: isMixing && heads === 0, hasAttention: isMixing && heads > 0 };
    }
    if (interval !== undefined) {
      const isRecurrent = marked === null ? (layer + 1) % every !== 0 : marked[layer] !== 0;
      return { isRecurrent, hasAttention: !isRecurrent };
    }
    const isRecurrent = byHeads.has(architecture) && heads === 0;
    return { isRecurrent, hasAttention: !isRecurrent && heads > 0 };
  });
}

/** Elements of one layer's state. */
export function stateElements(header: GgufHeader, architecture: string, heads: number): number {
  const value = (key: string) => numberValue(header, `${architecture}.${key}`) ?? 0;
  const embedding = value("embedding_length");
  const wkvHead = value("wkv.head_size");
  if (wkvHead > 0) {
    const shifted = numberValue(header, `${architecture}.token_shift_count`) ?? 2;
    return embedding * (shifted + wkvHead);
  }
  const shortConvolution = value("shortconv.l_cache");
  if (shortConvolution > 0) return embedding * (shortConvolution - 1);
  const kernel = value("ssm.conv_kernel");
  const kdaHead = value("kda.head_dim");
  if (kdaHead > 0) return 3 * (kernel > 0 ? kernel - 1 : 3) * heads * kdaHead + kdaHead * kdaHead * heads;
  if (architecture === "minimax-01") return value("attention.key_length") ** 2 * heads;
  const inner = value("ssm.inner_size");
  const state = value("ssm.state_size");
  const convolution = Math.max(0, kernel - 1) * (inner + 2 * value("ssm.group_count") * state);
  return convolution + state * inner;
}
