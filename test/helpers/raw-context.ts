/** A model and a context of the library itself, for tests of what the cache does with cells. */
import { join } from "node:path";
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { loadWeights } from "../../src-main/engine/llama/load-weights.ts";
import { nativeContext, type NativeContext } from "../../src-main/engine/llama/native.ts";
import { SequenceState } from "../../src-main/engine/llama/sequence-state.ts";
import { TokenSampler } from "../../src-main/engine/llama/token-sampler.ts";
import { greedySampling } from "./greedy.ts";
import { openOptions, sharedLlama } from "./open-tiny-model.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "./tiny-gguf.ts";

interface RawContextOptions {
  readonly contextTokens?: number;
  readonly flashAttention?: boolean;
  /** Type of the cached keys and values. */
  readonly cacheType?: "F16" | "Q8_0";
}

const chunkTokens = 256;

/** One stream, one thread, everything greedy. It owns model and context. */
export class RawContext implements AsyncDisposable {
  readonly model: LlamaModel;
  readonly sequences: SequenceState;
  readonly #context: LlamaContext;
  readonly #native: NativeContext;
  readonly #sampler: TokenSampler;

  private constructor(llama: Llama, model: LlamaModel, context: LlamaContext) {
    this.model = model;
    this.sequences = new SequenceState(context);
    this.#context = context;
    this.#native = nativeContext(context);
    this.#native.setThreads(1);
    this.#sampler = new TokenSampler(llama, model, greedySampling, 1, []);
  }

  static async open(path: string, options: RawContextOptions = {}): Promise<RawContext> {
    const loaded = await sharedLlama();
    const { contextTokens = 1_024, flashAttention = true, cacheType = "F16" } = options;
    const model = await loadWeights(loaded, path, { ...openOptions, metadata: {}, checkTensors: false });
    const context = await model.createContext({
      contextSize: contextTokens,
      sequences: 1,
      batchSize: chunkTokens,
      flashAttention,
      ...cacheTypes(cacheType, flashAttention ? cacheType : "F16"),
    });
    return new RawContext(loaded.llama, model, context);
  }

  static async openTiny(model: TinyModelOptions = {}, options: RawContextOptions = {}): Promise<RawContext> {
    return await RawContext.open(await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), model), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#sampler[Symbol.dispose]();
    await this.#context.dispose();
    await this.model.dispose();
  }

  /** Computes tokens behind `position` in chunks. Returns where the last one's logits are. */
  async compute(tokens: readonly number[], position = 0): Promise<number> {
    let index = 0;
    for (let from = 0; from < tokens.length; from += chunkTokens) {
      const chunk = Uint32Array.from(tokens.slice(from, from + chunkTokens));
      this.#native.initBatch(chunk.length);
      [index = 0] = this.#native.addToBatch(0, position + from, chunk, Uint32Array.of(chunk.length - 1));
      await this.#native.decodeBatch();
    }
    return index;
  }

  /** Computes `tokens` at `position` and chooses `count` tokens behind them, each computed but the last. */
  async goOn(tokens: readonly number[], position: number, count: number): Promise<number[]> {
    let index = await this.compute(tokens, position);
    const answer: number[] = [];
    for (;;) {
      const token = await this.#native.sampleToken(index, this.#sampler.native);
      answer.push(token);
      if (answer.length === count) return answer;
      index = await this.compute([token], position + tokens.length + answer.length - 1);
    }
  }
}

/** The library warns of these options, which are not for every model; what is cached with them must be exact all the same. */
function cacheTypes(keys: string, values: string): object {
  return { experimentalKvCacheKeyType: keys, experimentalKvCacheValueType: values };
}

/** Token ids of no text in particular, `length` of them, each an ordinary one of the tiny model. */
export function anyTokens(length: number, seed = 0): number[] {
  return Array.from({ length }, (_, index) => 40 + ((seed * 37 + index * index * 7 + index) % 200));
}
