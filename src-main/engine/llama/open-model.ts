import type { Llama, LlamaModel } from "node-llama-cpp";
import type { Sampling } from "../../contract/conversation.ts";
import type { GgufSummary } from "../../contract/model.ts";
import type { ResumeRule } from "../cache/reusable-tokens.ts";
import type { GgufHeader } from "../../gguf/gguf-header.ts";
import { kvRowBytes } from "../../gguf/kv-shape.ts";
import { inspectModel } from "./inspect-model.ts";
import type { LoadedLlama } from "./load-llama.ts";
import { loadWeights, memoryError } from "./load-weights.ts";
import { ModelContext } from "./model-context.ts";
import { resumeRule } from "./resume-rule.ts";
import { TokenSampler } from "./token-sampler.ts";
import { Vocabulary } from "./vocabulary.ts";

export interface OpenModelOptions {
  /** `null`: what the model was trained for, but at most 8,192. */
  readonly contextTokens: number | null;
  /** See LoadWeightsOptions. */
  readonly checkTensors: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number) => void;
}

const defaultContextTokens = 8_192;
/** On a processor a larger chunk is no faster, only harder to stop and hungrier for memory. */
const chunkTokens = { processor: 256, graphics: 512 } as const;

/** Weights and context of one model file, ready to compute. It owns both. */
export class OpenModel implements AsyncDisposable {
  readonly summary: GgufSummary;
  readonly context: ModelContext;
  readonly vocabulary: Vocabulary;
  readonly resumeRule: ResumeRule;
  readonly flashAttention: boolean;
  /** The Jinja template in the file; `null` if it has none. */
  readonly chatTemplate: string | null;
  readonly header: GgufHeader;
  /** What computes: `cpu`, `cuda`, `metal`, `vulkan`. */
  readonly backend: string;
  readonly #model: LlamaModel;
  readonly #llama: Llama;

  private constructor(
    llama: Llama,
    model: LlamaModel,
    context: ModelContext,
    { header, summary }: { readonly header: GgufHeader; readonly summary: GgufSummary },
  ) {
    this.#llama = llama;
    this.#model = model;
    this.context = context;
    this.summary = summary;
    this.header = header;
    this.backend = llama.gpu === false ? "cpu" : llama.gpu;
    this.vocabulary = new Vocabulary(model);
    this.resumeRule = resumeRule(model, header, context.layout);
    this.flashAttention = model.flashAttentionSupported;
    this.chatTemplate = model.fileInfo.metadata.tokenizer.chat_template ?? null;
  }

  /** Throws MODEL_MISSING, MODEL_INVALID, ENGINE_FAILED (memory), or the signal's reason. */
  static async open(loaded: LoadedLlama, path: string, options: OpenModelOptions): Promise<OpenModel> {
    const { llama } = loaded;
    const inspected = inspectModel(llama, path);
    await using opened = new AsyncDisposableStack();
    const model = await loadWeights(loaded, path, options);
    opened.defer(() => model.dispose());
    const context = await createContext(loaded, model, path, options, inspected.header);
    opened.use(context);
    const openModel = new OpenModel(llama, model, context, inspected);
    opened.move();
    return openModel;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context[Symbol.asyncDispose]();
    await this.#model.dispose();
  }

  get weightsBytes(): number {
    return this.#model.size;
  }

  createSampler(sampling: Sampling, seed: number, previous: readonly number[]): TokenSampler {
    return new TokenSampler(this.#llama, this.#model, sampling, seed, previous);
  }
}

async function createContext(
  loaded: LoadedLlama,
  model: LlamaModel,
  path: string,
  options: OpenModelOptions,
  header: GgufHeader,
): Promise<ModelContext> {
  const contextOptions = {
    contextTokens: options.contextTokens ?? Math.min(model.trainContextSize, defaultContextTokens),
    chunkTokens: loaded.llama.gpu === false ? chunkTokens.processor : chunkTokens.graphics,
    flashAttention: model.flashAttentionSupported,
    rowBytes: kvRowBytes(header),
  };
  try {
    return await ModelContext.create(loaded, model, contextOptions, options.signal);
  } catch (caught) {
    options.signal.throwIfAborted();
    throw memoryError(path, caught);
  }
}
