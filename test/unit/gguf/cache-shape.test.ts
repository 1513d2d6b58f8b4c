import { expect, test } from "vitest";
import { cacheShape } from "../../../src-main/gguf/cache-shape.ts";
import { headerOf } from "../../helpers/gguf-shapes.ts";

/** Keys of an architecture, without its name before each. */
function modelOf(architecture: string, values: Readonly<Record<string, number | readonly number[]>>) {
  const keys = Object.entries({ block_count: 6, embedding_length: 512, "attention.head_count": 8, ...values });
  return headerOf({
    "general.architecture": architecture,
    ...Object.fromEntries(keys.map(([key, value]) => [`${architecture}.${key}`, value])),
  });
}

/** What each layer keeps: all, a window, a state, nothing. */
function kept(architecture: string, values: Readonly<Record<string, number | readonly number[]>>): string {
  const letters = { all: "a", window: "w", none: "-" } as const;
  return (cacheShape(modelOf(architecture, values))?.layers ?? [])
    .map(({ keeps, stateElements }) => (stateElements > 0 ? (keeps === "none" ? "s" : "b") : letters[keeps]))
    .join("");
}

const window = { "attention.sliding_window": 128 };
const state = { "ssm.conv_kernel": 4, "ssm.inner_size": 1_024, "ssm.state_size": 16 };

test.each([
  ["gemma2", {}, "wawawa"],
  ["gemma3", window, "wwwwwa"],
  ["gemma3", { ...window, "attention.sliding_window_pattern": 2 }, "wawawa"],
  ["gemma3", {}, "aaaaaa"],
  ["gemma4", { ...window, "attention.sliding_window_pattern": [1, 1, 0, 1, 1, 0] }, "wwawwa"],
  [
    "gemma4",
    { ...window, "attention.sliding_window_pattern": [1, 1, 0, 1, 1, 0], "attention.shared_kv_layers": 3 },
    "wwa---",
  ],
  ["gpt-oss", window, "wawawa"],
  ["smallthinker", window, "awwwaw"],
  ["exaone4", window, "aaaaaa"],
  ["phi3", window, "aaaaaa"],
  ["llama", { nextn_predict_layers: 1 }, "aaaaa-"],
  ["jamba", { ...state, "attention.head_count_kv": [0, 2, 0, 0, 2, 0] }, "sassas"],
  ["falcon-h1", state, "bbbbbb"],
  ["qwen3next", { ...state, full_attention_interval: 3 }, "ssassa"],
  [
    "nemotron_h",
    { ...state, "attention.head_count_kv": [0, 2, 0, 0, 2, 0], feed_forward_length: [0, 0, 9, 0, 0, 9] },
    "sa-sa-",
  ],
  ["mamba", { ...state, "attention.head_count": 0 }, "ssssss"],
] as const)("%s with %j keeps %s", (architecture, values, expected) => {
  expect(kept(architecture, values)).toBe(expected);
});

test("states are as large as llama.cpp makes them", () => {
  const elements = (architecture: string, values: Readonly<Record<string, number>>) =>
    cacheShape(modelOf(architecture, { ...values, "attention.head_count_kv": 0 }))?.layers[0]?.stateElements;
  expect(elements("jamba", state)).toBe((3 + 16) * 1_024);
  expect(elements("granitehybrid", { ...state, "ssm.group_count": 2 })).toBe(3 * (1_024 + 2 * 2 * 16) + 16 * 1_024);
  expect(elements("lfm2", { "shortconv.l_cache": 3 })).toBe(2 * 512);
  expect(elements("rwkv6", { "wkv.head_size": 64 })).toBe(512 * (2 + 64));
  expect(elements("kimi-linear", { "kda.head_dim": 16, "ssm.conv_kernel": 4 })).toBe(3 * 3 * 8 * 16 + 16 * 16 * 8);
});

test("layers that slide may have heads of another size", () => {
  const values = {
    ...window,
    "attention.key_length": 64,
    "attention.key_length_swa": 32,
    "attention.value_length": 64,
  };
  const layers = cacheShape(modelOf("gemma3", values))?.layers;
  expect(layers?.[0]).toMatchObject({ keyElements: 8 * 32, valueElements: 8 * 64 });
  expect(layers?.[5]).toMatchObject({ keyElements: 8 * 64, valueElements: 8 * 64 });
});

test("nothing where the file says too little or too much", () => {
  expect(cacheShape(headerOf({ "general.architecture": "" }))).toBeNull();
  expect(cacheShape(modelOf("llama", { block_count: 4e9 }))).toBeNull();
  expect(cacheShape(modelOf("llama", { block_count: 2.5 }))).toBeNull();
});
