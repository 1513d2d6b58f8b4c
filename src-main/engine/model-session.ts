import type { Sampling } from "../contract/conversation.ts";
import type { LoadInput } from "../contract/engine-contract.ts";
import type { LoadedModel, TemplateInUse, ThreadTuning } from "../contract/model.ts";
import type { MemoryReport } from "../contract/turn-report.ts";
import { loadChatTemplate, type ChatTemplate } from "./generation/chat-template.ts";
import type { TurnSampler } from "./generation/generate-turn.ts";
import type { KvCache } from "./kv/kv-cache.ts";
import { openKvCache, type CacheSurroundings } from "./open-kv-cache.ts";
import { SessionPrompts } from "./session-prompts.ts";
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

interface LoadedInput extends Pick<LoadInput, "path" | "options" | "chatTemplate"> {
  readonly tuning: ThreadTuning;
  readonly startMs: number;
}

/** A model that answers: the open file, its cells and what is stored for it, its template and its threads. It owns them. */
export class ModelSession implements AsyncDisposable {
  readonly #loaded: Omit<LoadedModel, "contextTokens" | keyof TemplateInUse>;
  readonly cache: KvCache;
  readonly watch: DecodeWatch;
  readonly surroundings: CacheSurroundings;
  readonly #model: OpenModel;
  readonly #prefillThreads: number;
  #prompts: SessionPrompts;
  #override: string | null;

  private constructor(
    model: OpenModel,
    { path, options, chatTemplate = null, tuning, startMs }: LoadedInput,
    surroundings: CacheSurroundings,
  ) {
    this.#model = model;
    this.#prompts = promptsOf(model, chatTemplate);
    this.#override = chatTemplate;
    this.surroundings = surroundings;
    const threads = { ...tuning, ...options.threads };
    this.#prefillThreads = threads.prefill;
    this.cache = openKvCache(model, path, threads, surroundings);
    this.watch = new DecodeWatch(threads);
    this.#loaded = {
      path,
      summary: model.summary,
      flashAttention: model.settings.cache.flashAttention,
      tuning,
      loadMs: performance.now() - startMs,
      warnings: model.warnings,
    };
  }

  /** Throws MODEL_MISSING, MODEL_INVALID, OPTIONS_REFUSED, ENGINE_FAILED, or the signal's reason. */
  static async load(
    llama: LoadedLlama,
    input: Pick<LoadInput, "path" | "options" | "tuning" | "chatTemplate">,
    surroundings: CacheSurroundings,
    { signal, onProgress }: LoadCall,
  ): Promise<ModelSession> {
    const startMs = performance.now();
    const { path, options, chatTemplate } = input;
    // Threads are measured once for each file on a machine: so a file without them is loaded for the first time.
    const checkTensors = input.tuning === null;
    const freeMemory = surroundings.freeMemory ?? undefined;
    const { others } = surroundings;
    const model = await OpenModel.open(llama, path, { options, checkTensors, freeMemory, others, signal, onProgress });
    await using opened = new AsyncDisposableStack();
    opened.use(model);
    // Also where threads are given: the day they are not, the measurement is there.
    const tuning = input.tuning ?? (await measureModel(model, signal));
    const session = new ModelSession(model, { path, options, chatTemplate, tuning, startMs }, surroundings);
    opened.move();
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#model[Symbol.asyncDispose]();
  }

  /** As it is now. */
  get description(): LoadedModel {
    return { ...this.#loaded, contextTokens: this.contextTokens, ...inUse(this.#prompts.template) };
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

  /** What messages become tokens with. A turn keeps what it began with, whatever is used later. */
  get prompts(): SessionPrompts {
    return this.#prompts;
  }

  /** What they would be made with under this template; nothing changes. `null`: the file's own; absent: the one in use. */
  promptsWith(chatTemplate: string | null = this.#override): SessionPrompts {
    return chatTemplate === this.#override ? this.#prompts : promptsOf(this.#model, chatTemplate);
  }

  /** From now on. `null`: the file's own template. Throws TEMPLATE_FAILED, and nothing has changed then. */
  useTemplate(chatTemplate: string | null): TemplateInUse {
    this.#prompts = this.promptsWith(chatTemplate);
    this.#override = chatTemplate;
    return inUse(this.#prompts.template);
  }

  get bytesPerToken(): number {
    return bytesPerToken(this.#model.context.layout);
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

function promptsOf({ vocabulary, chatTemplate: source }: OpenModel, override: string | null): SessionPrompts {
  return new SessionPrompts(vocabulary, loadChatTemplate({ source, override, tokenizer: vocabulary }));
}

/** As the contract says it. */
export function inUse({ template, reason, templateProblems, templateFormat }: ChatTemplate): TemplateInUse {
  return { template, templateReason: reason, templateProblems, templateFormat };
}
