/**
 * What llama.cpp demands of a model beyond the format. It ends its process where most of this is not so, so it is asked
 * before. Every problem is a clause that fits after "because". Found by reading its source, and by damaged files that
 * brought it down (test/fuzz).
 */
import { cacheShape } from "./cache-shape.ts";
import type { GgufHeader, GgufTensor } from "./gguf-header.ts";
import { layerValues, numberValue, textValue } from "./gguf-values.ts";
import { isOnlyRecurrent } from "./recurrent-layers.ts";
import { shownText } from "./shown-text.ts";

const mostLayers = 512;
const mostExperts = 1_024;
const mostContextTokens = 2 ** 31 - 1;
const ropeScalings = new Set(["none", "linear", "yarn", "longrope"]);
/** F32, F16 and BF16. */
const floatTypes = new Set([0, 1, 30]);
/** Whole numbers and F64, with which nothing is multiplied. */
const tableTypes = new Set([24, 25, 26, 27, 28]);

/** Everything that memory is reckoned from. */
const countKeys = [
  ...["context_length", "embedding_length", "feed_forward_length", "expert_feed_forward_length", "expert_used_count"],
  ...["attention.head_count", "attention.head_count_kv", "attention.key_length", "attention.value_length"],
  ...[
    "attention.key_length_swa",
    "attention.value_length_swa",
    "attention.key_length_mla",
    "attention.value_length_mla",
  ],
  ...["attention.sliding_window", "attention.shared_kv_layers", "nextn_predict_layers", "full_attention_interval"],
  ...["ssm.conv_kernel", "ssm.inner_size", "ssm.state_size", "ssm.group_count", "shortconv.l_cache"],
  ...["wkv.head_size", "token_shift_count", "kda.head_dim"],
] as const;

interface Model {
  readonly header: GgufHeader;
  readonly architecture: string;
  readonly layers: number;
  /** `null` where the key is missing or no number. */
  readonly value: (key: string) => number | null;
  /** The largest of a value that layers may have each for themselves; 0 where it is missing. */
  readonly most: (key: string) => number;
}

/**
 * Nothing for a model that llama.cpp can take, as far as the header tells. `others`: of the further files of a model in
 * several.
 */
export function engineDemands(header: GgufHeader, others: readonly GgufHeader[] = []): string[] {
  const architecture = textValue(header, "general.architecture") ?? "";
  const value = (key: string) => numberValue(header, `${architecture}.${key}`);
  const layers = value("block_count");
  if (layers === null || layers < 1 || layers > mostLayers || !Number.isInteger(layers))
    return [`it does not say how many layers it has, or more than ${mostLayers}`];
  const most = (key: string) => Math.max(0, ...(layerValues(header, `${architecture}.${key}`, layers) ?? []));
  const model = { header, architecture, layers, value, most };
  const demands = [counts, sizes, attention, experts, rope, windows, vocabulary].flatMap((demand) => demand(model));
  return [...demands, ...[header, ...others].flatMap(numbers)];
}

function counts({ header, architecture }: Model): string[] {
  const isCount = (value: unknown) => typeof value !== "number" || (Number.isSafeInteger(value) && value >= 0);
  return countKeys.flatMap((key) => {
    const value = header.metadata.get(`${architecture}.${key}`);
    const isSound = typeof value === "object" ? (value.numbers ?? []).every(isCount) : isCount(value);
    return isSound ? [] : [`its ${key.replace(/^\w+\./, "").replaceAll("_", " ")} is not a count`];
  });
}

function sizes({ header, architecture, layers, value, most }: Model): string[] {
  const context = value("context_length") ?? 0;
  return [
    ...((value("embedding_length") ?? 0) < 1 ? ["its embedding length is missing or zero"] : []),
    ...(context < 1 || context > mostContextTokens ? [`its context length cannot be: ${context} tokens`] : []),
    ...((value("nextn_predict_layers") ?? 0) > layers ? ["it has more layers behind its stack than layers"] : []),
    ...(isOnlyRecurrent(architecture) || most("feed_forward_length") + most("expert_feed_forward_length") > 0
      ? []
      : ["its feed-forward length is missing or zero"]),
    ...epsilons(header, architecture),
  ];
}

function epsilons(header: GgufHeader, architecture: string): string[] {
  const isSound = ["layer_norm_rms_epsilon", "layer_norm_epsilon", "group_norm_epsilon"].every((key) => {
    const epsilon = numberValue(header, `${architecture}.attention.${key}`);
    return epsilon === null || epsilon >= 0;
  });
  return isSound ? [] : ["the smallest number of its norms cannot be"];
}

function attention({ architecture, value, most }: Model): string[] {
  if (isOnlyRecurrent(architecture)) return [];
  const heads = most("attention.head_count");
  if (heads < 1) return ["its number of attention heads is missing or zero"];
  if (["key_length", "value_length"].some((key) => (value(`attention.${key}`) ?? 1) < 1))
    return ["the size of its attention heads is zero"];
  if (architecture !== "jamba") return [];
  // Its layers take these sizes for granted, where others say them in their tensors' shapes.
  const embedding = value("embedding_length") ?? 0;
  const lengths = ["key_length", "value_length"].map((key) => value(`attention.${key}`) ?? embedding / heads);
  const isSound = lengths.every((length) => length * heads === embedding) && value("ssm.inner_size") === 2 * embedding;
  return isSound ? [] : ["the sizes of its layers contradict each other"];
}

function experts({ architecture, value, most }: Model): string[] {
  const [count, groups, usedGroups] = ["expert_count", "expert_group_count", "expert_group_used_count"].map(
    (key) => value(key) ?? 0,
  ) as [number, number, number];
  const used = most("expert_used_count");
  // Hunyuan's dense models say they have one.
  if (architecture.startsWith("hunyuan") && count <= 1) return [];
  const areGroupsSound = groups <= 1 || (count % groups === 0 && usedGroups > 0 && usedGroups < groups);
  const isSound =
    count === 0
      ? used === 0 && groups === 0
      : used > 0 && used <= count && count <= mostExperts && groups < count && areGroupsSound;
  return isSound ? [] : [`its numbers of experts cannot be: ${used} used of ${count}, in ${groups} groups`];
}

function rope({ header, architecture, value, most }: Model): string[] {
  if (isOnlyRecurrent(architecture)) return [];
  const scaling = textValue(header, `${architecture}.rope.scaling.type`);
  const turned = value("rope.dimension_count");
  const length = value("attention.key_length") ?? (value("embedding_length") ?? 0) / most("attention.head_count");
  return [
    ...(scaling === null || ropeScalings.has(scaling)
      ? []
      : [`its RoPE scaling, ${shownText(scaling)}, is unknown to the engine`]),
    ...(turned === null || (turned <= length && turned % 2 === 0)
      ? []
      : [`RoPE cannot turn ${turned} dimensions of ${length}`]),
  ];
}

function windows({ header }: Model): string[] {
  const shape = cacheShape(header);
  if (shape === null || shape.windowTokens === 0) return [];
  return shape.layers.some(({ keeps }) => keeps === "window")
    ? []
    : ["it has a sliding window, and no layer that slides"];
}

/** Tables that say which expert a token goes to do hold whole numbers. */
function numbers({ tensors }: GgufHeader): string[] {
  const isWrong = ({ name, type }: GgufTensor) =>
    /(norm\.weight|\.bias)$/.test(name) ? !floatTypes.has(type) : tableTypes.has(type) && !name.includes("tid2eid");
  return tensors
    .filter(isWrong)
    .slice(0, 1)
    .map(({ name }) => `its tensor ${shownText(name)} must hold plain numbers and does not`);
}

/** Tokens are compared where they were read, which `readGgufParts` does when it is asked to. */
function vocabulary({ header }: Model): string[] {
  const tokens = header.metadata.get("tokenizer.ggml.tokens");
  if (typeof tokens !== "object") return [];
  if (tokens.holds === "values") return ["its vocabulary is not made of texts"];
  const isUnique = tokens.texts === undefined || new Set(tokens.texts).size === tokens.length;
  return isUnique ? [] : ["its vocabulary has a token twice"];
}
