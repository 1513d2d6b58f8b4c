import { describe, expect, test } from "vitest";
import { engineDemands } from "../../../src-main/gguf/engine-demands.ts";
import type { GgufHeader } from "../../../src-main/gguf/gguf-header.ts";
import { attentionHeader, headerOf } from "../../helpers/gguf-shapes.ts";

function withTokens(header: GgufHeader, texts: readonly string[]): GgufHeader {
  const tokens = { length: texts.length, numbers: null, holds: "texts" as const, texts };
  return { ...header, metadata: new Map([...header.metadata, ["tokenizer.ggml.tokens", tokens]]) };
}

const experts = {
  "llama.expert_count": 8,
  "llama.expert_used_count": 2,
  "llama.expert_group_count": 4,
  "llama.expert_group_used_count": 2,
};

test("an ordinary model meets them all", () => {
  expect(engineDemands(attentionHeader(2))).toEqual([]);
  expect(engineDemands(attentionHeader(2, experts))).toEqual([]);
  expect(engineDemands(withTokens(attentionHeader(2), ["a", "b"]))).toEqual([]);
});

test.each<[string, GgufHeader]>([
  ["it does not say how many layers it has", attentionHeader(2, { "llama.block_count": 0 })],
  ["its key length is not a count", attentionHeader(2, { "llama.attention.key_length": Number.NaN })],
  ["its sliding window is not a count", attentionHeader(2, { "llama.attention.sliding_window": 0.5 })],
  ["its head count kv is not a count", attentionHeader(2, { "llama.attention.head_count_kv": [2, -1] })],
  ["its embedding length is missing or zero", attentionHeader(2, { "llama.embedding_length": 0 })],
  ["its context length cannot be: 4294967295 tokens", attentionHeader(2, { "llama.context_length": 2 ** 32 - 1 })],
  ["its feed-forward length is missing or zero", attentionHeader(2, { "llama.feed_forward_length": 0 })],
  ["more layers behind its stack than layers", attentionHeader(2, { "llama.nextn_predict_layers": 25 })],
  ["its number of attention heads is missing or zero", attentionHeader(2, { "llama.attention.head_count": 0 })],
  ["the size of its attention heads is zero", attentionHeader(2, { "llama.attention.value_length": 0 })],
  ["the smallest number of its norms", attentionHeader(2, { "llama.attention.layer_norm_rms_epsilon": -1 })],
  ["the smallest number of its norms", attentionHeader(2, { "llama.attention.layer_norm_rms_epsilon": Number.NaN })],
  ["RoPE cannot turn 65 dimensions of 64", attentionHeader(2, { "llama.rope.dimension_count": 65 })],
  ["RoPE cannot turn 31 dimensions of 64", attentionHeader(2, { "llama.rope.dimension_count": 31 })],
  ["its RoPE scaling, dynamic, is unknown", attentionHeader(2, { "llama.rope.scaling.type": "dynamic" })],
  ["9 used of 8", attentionHeader(2, { ...experts, "llama.expert_used_count": 9 })],
  ["2 used of 0", attentionHeader(2, { "llama.expert_used_count": 2 })],
  ["in 3 groups", attentionHeader(2, { ...experts, "llama.expert_group_count": 3 })],
  ["its vocabulary has a token twice", withTokens(attentionHeader(2), ["a", "b", "a"])],
  ["its vocabulary is not made of texts", attentionHeader(2, { "tokenizer.ggml.tokens": [1, 2] })],
])("%s", (problem, header) => {
  expect(engineDemands(header).join(", ")).toContain(problem);
});

test("a window without a layer that slides is refused", () => {
  const gemma = (pattern: number) =>
    headerOf({
      "general.architecture": "gemma3",
      "gemma3.block_count": 4,
      "gemma3.embedding_length": 256,
      "gemma3.feed_forward_length": 512,
      "gemma3.context_length": 4_096,
      "gemma3.attention.head_count": 4,
      "gemma3.attention.sliding_window": 512,
      "gemma3.attention.sliding_window_pattern": pattern,
    });
  expect(engineDemands(gemma(2))).toEqual([]);
  expect(engineDemands(gemma(1))).toEqual(["it has a sliding window, and no layer that slides"]);
});

describe("tensors", () => {
  const tensor = (name: string, type: number) => ({ name, shape: [4], type, offsetBytes: 0 });
  const demandsOf = (name: string, type: number) =>
    engineDemands({ ...attentionHeader(2), tensors: [tensor(name, type)] });

  test("norms hold plain numbers", () => {
    expect(demandsOf("blk.0.attn_norm.weight", 0)).toEqual([]);
    expect(demandsOf("blk.0.attn_norm.weight", 8)).toEqual([
      "its tensor blk.0.attn_norm.weight must hold plain numbers and does not",
    ]);
  });

  test("nothing is multiplied with whole numbers, but tables may hold them", () => {
    expect(demandsOf("blk.0.attn_q.weight", 25)).toHaveLength(1);
    expect(demandsOf("blk.0.ffn_gate_tid2eid", 26)).toEqual([]);
  });

  test("those of further files count", () => {
    const further = headerOf({}, [tensor("output_norm.weight", 26)]);
    expect(engineDemands(attentionHeader(2), [further])).toHaveLength(1);
  });
});
