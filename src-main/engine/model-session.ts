import { availableParallelism } from "node:os";
import type { Sampling } from "../contract/conversation.ts";
import type { LoadInput, PromptMessage } from "../contract/engine-contract.ts";
import type { LoadedModel, ThreadTuning } from "../contract/model.ts";
import type { MemoryReport } from "../contract/turn-report.ts";
import { ResidentCache } from "./cache/resident-cache.ts";
import { loadChatTemplate } from "./generation/chat-template.ts";
import type { TurnModel, TurnSampler } from "./generation/generate-turn.ts";
import { PromptTokens } from "./generation/prompt-tokens.ts";
import type { LoadedLlama } from "./llama/load-llama.ts";
import { memoryReport } from "./llama/memory-report.ts";
import { OpenModel } from "./llama/open-model.ts";
import type { Vocabulary } from "./llama/vocabulary.ts";
import { threadCandidates } from "./tuning/choose-threads.ts";
import { DecodeWatch } from "./tuning/decode-watch.ts";
import { measureThreads } from "./tuning/measure-threads.ts";

export interface LoadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number) => void;
}

const tuningText =
  "The lighthouse keeper wrote down the weather every morning: wind from the north-west, sea rough, 7 degrees, rain.";

/** A model that answers: the open file, the conversation in its cells, its template and its threads. It owns them all. */
export class ModelSession implements TurnModel, AsyncDisposable {
  readonly description: LoadedModel;
  readonly cache: ResidentCache;
  readonly watch: DecodeWatch;
  readonly templateStops: readonly string[];
  readonly #model: OpenModel;
  readonly #prompts: PromptTokens;

  private constructor(model: OpenModel, path: string, tuning: ThreadTuning, startMs: number) {
    const { vocabulary, context } = model;
    const template = loadChatTemplate({ source: model.chatTemplate, tokenizer: vocabulary });
    this.#model = model;
    this.#prompts = new PromptTokens(vocabulary, template);
    this.templateStops = template.stopStrings;
    this.cache = new ResidentCache(context, model.resumeRule);
    this.watch = new DecodeWatch(tuning);
    this.description = {
      path,
      summary: model.summary,
      contextTokens: context.contextTokens,
      flashAttention: model.flashAttention,
      tuning,
      loadMs: performance.now() - startMs,
      template: template.template,
      templateReason: template.reason,
    };
  }

  /** Throws MODEL_MISSING, MODEL_INVALID, ENGINE_FAILED, or the signal's reason. */
  static async load(llama: LoadedLlama, input: LoadInput, options: LoadOptions): Promise<ModelSession> {
    const startMs = performance.now();
    const { path, contextTokens, tuning } = input;
    // Threads are measured once for each file on a machine: so a file without them is loaded for the first time.
    const checkTensors = tuning === null;
    const model = await OpenModel.open(llama, path, { contextTokens, checkTensors, ...options });
    await using opened = new AsyncDisposableStack();
    opened.use(model);
    const session = new ModelSession(model, path, tuning ?? (await measure(model, options.signal)), startMs);
    opened.move();
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#model[Symbol.asyncDispose]();
  }

  get tokenizer(): Vocabulary {
    return this.#model.vocabulary;
  }

  get contextTokens(): number {
    return this.#model.context.contextTokens;
  }

  get chunkTokens(): number {
    return this.#model.context.chunkTokens;
  }

  get prefillThreads(): number {
    return this.watch.within(this.description.tuning.prefill);
  }

  setThreads(threads: number): void {
    this.#model.context.setThreads(threads);
  }

  isEndOfGeneration(token: number): boolean {
    return this.#model.vocabulary.isEndOfGeneration(token);
  }

  promptTokens(messages: readonly PromptMessage[]): readonly number[] {
    return this.#prompts.build(messages).tokens;
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

  memory(addedTokens: number): MemoryReport {
    const { context, weightsBytes } = this.#model;
    return memoryReport({
      layout: context.layout,
      usedTokens: this.cache.length,
      firstPosition: context.firstPosition,
      addedTokens,
      weightsBytes,
      contextBytes: context.allocatedBytes,
      residentBytes: process.memoryUsage.rss(),
    });
  }
}

async function measure(model: OpenModel, signal: AbortSignal): Promise<ThreadTuning> {
  return await measureThreads(model.context, {
    candidates: threadCandidates(availableParallelism()),
    tokens: model.vocabulary.tokenize(tuningText, { special: false }),
    signal,
  });
}
