import type { Sampling } from "../contract/conversation.ts";
import type { LoadInput, PromptMessage, Tool } from "../contract/engine-contract.ts";
import type { LoadedModel, ThreadTuning } from "../contract/model.ts";
import type { MemoryReport } from "../contract/turn-report.ts";
import { loadChatTemplate, type ChatTemplate } from "./generation/chat-template.ts";
import type { TurnSampler } from "./generation/generate-turn.ts";
import { draftTokens, settledTokens, systemTokens } from "./generation/prompt-parts.ts";
import { PromptTokens, type Prompt } from "./generation/prompt-tokens.ts";
import type { KvCache } from "./kv/kv-cache.ts";
import { openKvCache, type CacheSurroundings } from "./open-kv-cache.ts";
import { bytesPerToken } from "./llama/kv-layout.ts";
import type { LoadedLlama } from "./llama/load-llama.ts";
import { memoryReport } from "./llama/memory-report.ts";
import { OpenModel } from "./llama/open-model.ts";
import type { Vocabulary } from "./llama/vocabulary.ts";
import { storedBytesOf } from "./kv/cache-state.ts";
import { DecodeWatch } from "./tuning/decode-watch.ts";
import { measureModel } from "./tuning/measure-model.ts";

export interface LoadCall {
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number) => void;
}

interface LoadedInput extends Pick<LoadInput, "path" | "options"> {
  readonly tuning: ThreadTuning;
  readonly startMs: number;
}

/** A model that answers: the open file, its cells and what is stored for it, its template and its threads. It owns them. */
export class ModelSession implements AsyncDisposable {
  readonly description: LoadedModel;
  readonly cache: KvCache;
  readonly watch: DecodeWatch;
  readonly template: ChatTemplate;
  readonly surroundings: CacheSurroundings;
  readonly #model: OpenModel;
  readonly #prefillThreads: number;
  readonly #prompts: PromptTokens;
  /** For prompts nobody sent, so that the others are not forgotten over them. */
  readonly #probes: PromptTokens;
  readonly #systemTokens = new Map<string, number>();

  private constructor(
    model: OpenModel,
    { path, options, tuning, startMs }: LoadedInput,
    surroundings: CacheSurroundings,
  ) {
    const { vocabulary, context } = model;
    this.template = loadChatTemplate({ source: model.chatTemplate, tokenizer: vocabulary });
    this.#model = model;
    this.#prompts = new PromptTokens(vocabulary, this.template);
    this.#probes = new PromptTokens(vocabulary, this.template);
    this.surroundings = surroundings;
    const threads = { ...tuning, ...options.threads };
    this.#prefillThreads = threads.prefill;
    this.cache = openKvCache(model, path, threads, surroundings);
    this.watch = new DecodeWatch(threads);
    this.description = {
      path,
      summary: model.summary,
      contextTokens: context.contextTokens,
      flashAttention: model.settings.cache.flashAttention,
      tuning,
      loadMs: performance.now() - startMs,
      warnings: model.warnings,
      template: this.template.template,
      templateReason: this.template.reason,
    };
  }

  /** Throws MODEL_MISSING, MODEL_INVALID, OPTIONS_REFUSED, ENGINE_FAILED, or the signal's reason. */
  static async load(
    llama: LoadedLlama,
    input: Pick<LoadInput, "path" | "options" | "tuning">,
    surroundings: CacheSurroundings,
    { signal, onProgress }: LoadCall,
  ): Promise<ModelSession> {
    const startMs = performance.now();
    const { path, options } = input;
    // Threads are measured once for each file on a machine: so a file without them is loaded for the first time.
    const checkTensors = input.tuning === null;
    const freeMemory = surroundings.freeMemory ?? undefined;
    const { others } = surroundings;
    const model = await OpenModel.open(llama, path, { options, checkTensors, freeMemory, others, signal, onProgress });
    await using opened = new AsyncDisposableStack();
    opened.use(model);
    // Also where threads are given: the day they are not, the measurement is there.
    const tuning = input.tuning ?? (await measureModel(model, signal));
    const session = new ModelSession(model, { path, options, tuning, startMs }, surroundings);
    opened.move();
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#model[Symbol.asyncDispose]();
  }

  get model(): OpenModel {
    return this.#model;
  }

  get tokenizer(): Vocabulary {
    return this.#model.vocabulary;
  }

  get contextTokens(): number {
    return this.#model.context.contextTokens;
  }

  /** What the context could have if a conversation needed it, as far as memory was free when last looked. */
  get limitTokens(): number {
    return this.#model.room.largest(this.contextTokens);
  }

  get chunkTokens(): number {
    return this.#model.context.chunkTokens;
  }

  get prefillThreads(): number {
    return this.watch.within(this.#prefillThreads);
  }

  setThreads(threads: number): void {
    this.#model.context.setThreads(threads);
  }

  /** Throws TEMPLATE_FAILED. */
  prompt(messages: readonly PromptMessage[], tools: readonly Tool[] = []): Prompt {
    return this.#prompts.build(messages, tools);
  }

  /** A prompt's tokens, without forgetting the last one over it. Throws TEMPLATE_FAILED. */
  probe(messages: readonly PromptMessage[]): readonly number[] {
    return this.#probes.build(messages).tokens;
  }

  get bytesPerToken(): number {
    return bytesPerToken(this.#model.context.layout);
  }

  /** See draftTokens. Throws TEMPLATE_FAILED. */
  draftTokens(messages: readonly PromptMessage[]): number[] {
    return draftTokens(messages, this.#prompts);
  }

  /** See settledTokens. Throws TEMPLATE_FAILED. */
  settledTokens(messages: readonly PromptMessage[], tools: readonly Tool[] = []): number[] {
    return settledTokens(messages, tools, this.#probes);
  }

  /** How many tokens every conversation with this system prompt and these tools begins with. */
  systemTokens(messages: readonly PromptMessage[], tools: readonly Tool[] = []): number {
    const system = JSON.stringify([messages[0]?.role === "system" ? messages[0].content : "", tools]);
    const known = this.#systemTokens.get(system);
    if (known !== undefined) return known;
    const tokens = systemTokens(messages, tools, this.#probes);
    if (this.#systemTokens.size >= rememberedSystemPrompts) this.#systemTokens.clear();
    this.#systemTokens.set(system, tokens);
    return tokens;
  }

  sampler(sampling: Sampling, seed: number, prompt: readonly number[]): TurnSampler {
    const { context } = this.#model;
    const sampler = this.#model.createSampler(sampling, seed, prompt);
    return {
      sample: (logitIndex) => context.sample(logitIndex, sampler),
      [Symbol.dispose]: () => {
        sampler[Symbol.dispose]();
      },
    };
  }

  /** Where the memory is. `conversationId`: whose share of the store is told. */
  memory({ addedTokens, conversationId }: { addedTokens: number; conversationId: string }): MemoryReport {
    const { context, weightsBytes } = this.#model;
    const { store } = this.surroundings;
    return memoryReport({
      layout: context.layout,
      cells: this.cache.parts.stream.counts,
      firstPosition: context.firstPosition,
      addedTokens,
      store: {
        conversation: storedBytesOf(store, conversationId),
        total: store.usedBytes,
        writtenThisTurn: store.takeWrittenBytes(conversationId),
      },
      weightsBytes,
      contextBytes: context.allocatedBytes,
      residentBytes: process.memoryUsage.rss(),
      otherModels: this.surroundings.others.shares,
    });
  }
}

const rememberedSystemPrompts = 256;
