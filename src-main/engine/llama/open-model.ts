import type { Llama, LlamaModel } from "node-llama-cpp";
import type { Sampling } from "../../contract/conversation.ts";
import type { GgufSummary } from "../../contract/model.ts";
import type { ResumeRule } from "../cache/reusable-tokens.ts";
import type { GgufHeader } from "../../gguf/gguf-header.ts";
import { kvRowBytes } from "../../gguf/kv-shape.ts";
import { largestWithSameFactors } from "../kv/rope-factors.ts";
import { ContextRoom, type FreeMemory } from "../sizing/context-room.ts";
import { contextCost } from "./context-cost.ts";
import { freeMemory } from "./free-memory.ts";
import { inspectBeforeLoading } from "./inspect-model.ts";
import type { LoadedLlama } from "./load-llama.ts";
import { loadWeights } from "./load-weights.ts";
import { ModelContext } from "./model-context.ts";
import { resumeRule } from "./resume-rule.ts";
import { TokenSampler } from "./token-sampler.ts";
import { Vocabulary } from "./vocabulary.ts";

export interface OpenModelOptions {
  /** The most the context may have; `null`: what the model was trained for. */
  readonly contextTokens: number | null;
  /** In place of what the machine says of its memory: for tests. */
  readonly freeMemory?: (() => FreeMemory) | undefined;
  /** See LoadWeightsOptions. */
  readonly checkTensors: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number) => void;
}

/** On a processor a larger chunk is no faster, only harder to stop and hungrier for memory. */
const chunkTokens = { processor: 256, graphics: 512 } as const;

/** The most tokens computed in one call. */
export function chunkTokensOf({ gpu }: Pick<Llama, "gpu">): number {
  return gpu === false ? chunkTokens.processor : chunkTokens.graphics;
}

/** Weights and context of one model file, ready to compute. It owns both. */
export class OpenModel implements AsyncDisposable {
  readonly summary: GgufSummary;
  readonly context: ModelContext;
  /** How large the context may be. */
  readonly room: ContextRoom;
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
    { context, room }: { readonly context: ModelContext; readonly room: ContextRoom },
    { header, summary }: { readonly header: GgufHeader; readonly summary: GgufSummary },
  ) {
    this.#llama = llama;
    this.#model = model;
    this.context = context;
    this.room = room;
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
    const { parts, summary } = inspectBeforeLoading(llama, path);
    const inspected = { header: parts[0].header, summary };
    await using opened = new AsyncDisposableStack();
    const model = await loadWeights(loaded, path, options);
    opened.defer(() => model.dispose());
    const sized = await createContext(loaded, model, path, options, inspected.header);
    opened.use(sized.context);
    const openModel = new OpenModel(llama, model, sized, inspected);
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

/** Where memory is shorter than it looked, the smallest context there is. */
async function createContext(
  loaded: LoadedLlama,
  model: LlamaModel,
  path: string,
  { contextTokens: limitTokens, signal, freeMemory: memoryForTests }: OpenModelOptions,
  header: GgufHeader,
): Promise<{ context: ModelContext; room: ContextRoom }> {
  const { llama } = loaded;
  const flashAttention = model.flashAttentionSupported;
  const shape = { chunkTokens: chunkTokensOf(llama), flashAttention };
  const room = await ContextRoom.open({
    ...(await contextCost(model, shape)),
    trainedTokens: model.trainContextSize,
    limitTokens,
    freeMemory: memoryForTests ?? (() => freeMemory(llama, model.useMmap ? model.size : 0)),
  });
  const create = async (contextTokens: number): Promise<ModelContext> => {
    return await ModelContext.create(
      loaded,
      model,
      { ...shape, contextTokens, rowBytes: kvRowBytes(header), path },
      signal,
    );
  };
  const planned = room.plan(0, 0);
  const context = await create(planned).catch((caught: unknown) => {
    if (signal.aborted || planned <= room.smallest) throw caught;
    return create(room.smallest);
  });
  room.limitTo(largestWithSameFactors(header, context.contextTokens) ?? Infinity);
  await room.refresh();
  return { context, room };
}
