/**
 * What the engine's release of llama.cpp knows, as tables: so that reading headers needs no engine. A contract test
 * compares them to the library; an upgrade that changes one fails by name.
 */
import type { EngineKnowledge } from "../gguf/gguf-summary.ts";

const architectures = new Set(
  `llama llama4 deci falcon grok gpt2 gptj gptneox mpt baichuan starcoder refact bert modern-bert nomic-bert
  nomic-bert-moe neo-bert jina-bert-v2 jina-bert-v3 eurobert bloom stablelm qwen qwen2 qwen2moe qwen2vl qwen3 qwen3moe
  qwen3next qwen3vl qwen3vlmoe qwen35 qwen35moe phi2 phi3 phimoe plamo plamo2 plamo3 codeshell orion internlm2 minicpm
  minicpm3 gemma gemma2 gemma3 gemma3n gemma4 gemma4-assistant gemma-embedding starcoder2 mamba mamba2 jamba falcon-h1
  xverse command-r cohere2 cohere2moe dbrx olmo olmo2 olmoe muse-glimmer openelm arctic deepseek deepseek2 deepseek2-ocr
  deepseek32 deepseek4 chatglm glm4 glm4moe glm-dsa bitnet t5 t5encoder jais jais2 nemotron nemotron_h nemotron_h_moe
  exaone exaone4 exaone-moe rwkv6 rwkv6qwen2 rwkv7 arwkv7 granite granitemoe granitehybrid graniteswitch chameleon
  wavtokenizer-dec plm bailingmoe bailingmoe2 dots1 arcee afmoe laguna ernie4_5 ernie4_5-moe hunyuan-moe hunyuan-dense
  hunyuan_vl hy_v3 smollm3 gpt-oss lfm2 lfm2moe dream smallthinker llada llada-moe seed_oss grovemoe apertus minimax-m2
  minimax-m3 cogvlm rnd1 pangu-embedded mistral3 eagle3 dflash mistral4 paddleocr mimo2 step35 llama-embed maincoder
  kimi-linear talkie mellum nanbeige qwen3tts clip`.split(/\s+/),
);

/** `[type, elements of a block, bytes of a block]`. */
const tensorTypes: readonly (readonly [number, number, number])[] = [
  [0, 1, 4],
  [1, 1, 2],
  [2, 32, 18],
  [3, 32, 20],
  [6, 32, 22],
  [7, 32, 24],
  [8, 32, 34],
  [9, 32, 36],
  [10, 256, 84],
  [11, 256, 110],
  [12, 256, 144],
  [13, 256, 176],
  [14, 256, 210],
  [15, 256, 292],
  [16, 256, 66],
  [17, 256, 74],
  [18, 256, 98],
  [19, 256, 50],
  [20, 32, 18],
  [21, 256, 110],
  [22, 256, 82],
  [23, 256, 136],
  [24, 1, 1],
  [25, 1, 2],
  [26, 1, 4],
  [27, 1, 8],
  [28, 1, 8],
  [29, 256, 56],
  [30, 1, 2],
  [34, 256, 54],
  [35, 256, 66],
  [39, 32, 17],
  [40, 64, 36],
  [41, 128, 18],
  [42, 64, 18],
];
const tensorTypesByNumber = new Map(
  tensorTypes.map(([type, blockElements, blockBytes]) => [type, { blockElements, blockBytes }]),
);

/** By their number in `general.file_type`. */
const quantizations = `F32 F16 Q4_0 Q4_1 Q4_1_SOME_F16 Q4_2 Q4_3 Q8_0 Q5_0 Q5_1 Q2_K Q3_K_S Q3_K_M Q3_K_L Q4_K_S Q4_K_M
  Q5_K_S Q5_K_M Q6_K IQ2_XXS IQ2_XS Q2_K_S IQ3_XS IQ3_XXS IQ1_S IQ4_NL IQ3_S IQ3_M IQ2_S IQ2_M IQ4_XS IQ1_M BF16
  Q4_0_4_4 Q4_0_4_8 Q4_0_8_8 TQ1_0 TQ2_0 MXFP4_MOE NVFP4 Q1_0 Q2_0`.split(/\s+/);

export const engineTables: EngineKnowledge = {
  knowsArchitecture: (architecture) => architectures.has(architecture),
  tensorType: (type) => tensorTypesByNumber.get(type) ?? null,
  quantization: (fileType) => quantizations[fileType] ?? null,
};
