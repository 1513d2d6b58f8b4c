import type { Llama, LlamaModel } from "node-llama-cpp";
import type { Sampling } from "../../contract/conversation.ts";
import type { GgufSummary, LoadedModel } from "../../contract/model.ts";
import type { LoadOptions } from "../../contract/model-settings.ts";
import type { ResumeRule } from "../cache/reusable-tokens.ts";
import type { GgufHeader } from "../../gguf/gguf-header.ts";
import { kvRowBytes } from "../../gguf/kv-shape.ts";
import { largestWithSameFactors } from "../kv/rope-factors.ts";
import { noOtherModels, type OtherModels } from "../other-models.ts";
import { ContextRoom, type FreeMemory } from "../sizing/context-room.ts";
import { cacheSettings, type CacheSettings } from "./cache-settings.ts";
import { contextCost } from "./context-cost.ts";
import { freeMemory } from "./free-memory.ts";
import { inspectBeforeLoading } from "./inspect-model.ts";
import type { LoadedLlama } from "./load-llama.ts";
import { loadWeights, saysNotLocked } from "./load-weights.ts";
import { loraAdapters, type LoraAdapter } from "./lora-adapters.ts";
import { ModelContext } from "./model-context.ts";
import { resumeRule } from "./resume-rule.ts";
import { SideContexts } from "./side-contexts.ts";
import { ropeOverrides, type RopeOverrides } from "./rope-overrides.ts";
import { TokenSampler } from "./token-sampler.ts";
import { Vocabulary } from "./vocabulary.ts";

export interface OpenModelOptions {
  readonly options: Omit<LoadOptions, "threads">;
  /** In place of what the machine says of its memory: for tests. */
  readonly freeMemory?: (() => FreeMemory) | undefined;
  /** Absent: there are none. */
  readonly others?: Pick<OtherModels, "mappedBytes" | "reclaimableBytes">;
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

/** What of the options makes other keys and values, or costs memory; held against the file. */
export interface ModelSettings {
  readonly cache: CacheSettings;
  readonly rope: RopeOverrides;
  readonly adapters: readonly LoraAdapter[];
  /** `auto` also where there is nothing but a processor. */
  readonly gpuLayers: LoadOptions["gpuLayers"];
}

/** Weights and context of one model file, ready to compute. It owns both. */
export class OpenModel implements AsyncDisposable {
  readonly summary: GgufSummary;
  readonly context: ModelContext;
  /** How large the context may be. */
  readonly room: ContextRoom;
  /** Contexts beside it, of the same kind. */
  readonly sideContexts: SideContexts;
  readonly vocabulary: Vocabulary;
  readonly resumeRule: ResumeRule;
  readonly settings: ModelSettings;
  /** What was asked for and could not be had. */
  readonly warnings: NonNullable<LoadedModel["warnings"]>;
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
    { context, room, sideContexts }: Pick<OpenModel, "context" | "room" | "sideContexts">,
    { header, summary }: { readonly header: GgufHeader; readonly summary: GgufSummary },
    { settings, warnings }: Pick<OpenModel, "settings" | "warnings">,
  ) {
    this.#llama = llama;
    this.#model = model;
    this.context = context;
    this.room = room;
    this.sideContexts = sideContexts;
    this.summary = summary;
    this.header = header;
    this.backend = backendOf(llama);
    this.vocabulary = new Vocabulary(model);
    this.resumeRule = resumeRule(model, header, context.layout);
    this.settings = settings;
    this.warnings = warnings;
    this.chatTemplate = model.fileInfo.metadata.tokenizer.chat_template ?? null;
  }

  /** Throws MODEL_MISSING, MODEL_INVALID, OPTIONS_REFUSED, ENGINE_FAILED (memory), or the signal's reason. */
  static async open(loaded: LoadedLlama, path: string, options: OpenModelOptions): Promise<OpenModel> {
    const { llama } = loaded;
    const { parts, summary } = inspectBeforeLoading(llama, path);
    const inspected = { header: parts[0].header, summary };
    const settings = modelSettings(llama, inspected.header, options.options, path);
    await using opened = new AsyncDisposableStack();
    const model = await loadWeights(loaded, path, { ...options, metadata: settings.rope.metadata });
    opened.defer(() => model.dispose());
    await loaded.log.settled();
    const isLocked = !options.options.useMlock || !saysNotLocked(loaded.log.lines);
    const sized = await createContext(loaded, model, path, options, { header: inspected.header, settings });
    opened.use(sized.context);
    const openModel = new OpenModel(llama, model, sized, inspected, {
      settings,
      warnings: isLocked ? [] : ["not-locked"],
    });
    opened.move();
    return openModel;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sideContexts[Symbol.asyncDispose]();
    await this.context[Symbol.asyncDispose]();
    await this.#model.dispose();
  }

  /** Of adapters too. */
  get weightsBytes(): number {
    return this.settings.adapters.reduce((sum, { sizeBytes }) => sum + sizeBytes, this.#model.size);
  }

  /** Of the weights, what lies in a file. */
  get mappedBytes(): number {
    return mappedBytesOf(this.#model);
  }

  createSampler(sampling: Sampling, seed: number, previous: readonly number[]): TokenSampler {
    return new TokenSampler(this.#llama, this.#model, sampling, seed, previous);
  }
}

export function backendOf({ gpu }: Pick<Llama, "gpu">): string {
  return gpu === false ? "cpu" : gpu;
}

function mappedBytesOf({ useMmap, size }: LlamaModel): number {
  return useMmap ? size : 0;
}

/** Throws OPTIONS_REFUSED. */
export function modelSettings(
  { gpu }: Llama,
  header: GgufHeader,
  options: OpenModelOptions["options"],
  path: string,
): ModelSettings {
  return {
    cache: cacheSettings(header, options, path),
    rope: ropeOverrides(header, options),
    adapters: loraAdapters(header, options.loras),
    gpuLayers: gpu === false ? "auto" : options.gpuLayers,
  };
}

/** Where memory is shorter than it looked, the smallest context there is. */
async function createContext(
  loaded: LoadedLlama,
  model: LlamaModel,
  path: string,
  { options, signal, freeMemory: memoryForTests, others = noOtherModels }: OpenModelOptions,
  { header, settings }: { readonly header: GgufHeader; readonly settings: ModelSettings },
): Promise<Pick<OpenModel, "context" | "room" | "sideContexts">> {
  const { llama } = loaded;
  const { cache, adapters } = settings;
  const shape = { ...cache, chunkTokens: chunkTokensOf(llama) };
  const room = await ContextRoom.open({
    ...(await contextCost(model, shape)),
    trainedTokens: usableTokens(model, settings, options.contextTokens),
    limitTokens: options.contextTokens,
    freeMemory: memoryForTests ?? (() => freeMemory(llama, mappedBytesOf(model) + others.mappedBytes)),
    reclaimableBytes: () => others.reclaimableBytes,
  });
  const create = async (contextTokens: number, wanted = signal): Promise<ModelContext> => {
    const ofContext = { ...shape, contextTokens, rowBytes: kvRowBytes(header, cache), adapters, path };
    return await ModelContext.create(loaded, model, ofContext, wanted);
  };
  const planned = room.plan(0, 0);
  const context = await create(planned).catch((caught: unknown) => {
    if (signal.aborted || planned <= room.smallest) throw caught;
    return create(room.smallest);
  });
  room.limitTo(largestWithSameFactors(header, context.contextTokens) ?? Infinity);
  await room.refresh();
  return { context, room, sideContexts: new SideContexts(create) };
}

/** Other RoPE frequencies are how a model is made to look farther back than it was trained to. */
function usableTokens(model: LlamaModel, { rope }: ModelSettings, wanted: number | null): number {
  const { frequencyBase, frequencyScale } = rope.settings;
  const isStretched = frequencyBase !== null || frequencyScale !== null;
  return isStretched ? Math.max(model.trainContextSize, wanted ?? 0) : model.trainContextSize;
}
