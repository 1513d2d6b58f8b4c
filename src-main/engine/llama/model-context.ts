import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import { RepriseError } from "../../contract/errors.ts";
import { kvLayout, type KvLayout } from "./kv-layout.ts";
import type { LoadedLlama } from "./load-llama.ts";
import { nativeContext, type LogitIndex, type NativeContext } from "./native.ts";
import { SequenceState } from "./sequence-state.ts";
import type { TokenSampler } from "./token-sampler.ts";

export interface ContextOptions {
  readonly contextTokens: number;
  /** The most tokens computed in one call, which cannot be interrupted. */
  readonly chunkTokens: number;
  readonly flashAttention: boolean;
  /** See kvRowBytes. */
  readonly rowBytes: readonly number[] | null;
}

const sequence = 0;
const firstIndex = Uint32Array.of(0);

/**
 * One context of llama.cpp with a single stream, driven directly. It owns the native context, and nothing of what its
 * cells mean. It never asks the library for a sequence object: when such an object is garbage collected the library
 * clears the cells, and its own bookkeeping would shift the context.
 */
export class ModelContext implements AsyncDisposable {
  readonly layout: KvLayout;
  readonly contextTokens: number;
  readonly chunkTokens: number;
  /** Hidden ids, and states on their way to and from files. */
  readonly sequences: SequenceState;
  /** How values lie in a state file: by column without flash attention. */
  readonly valuesByColumn: boolean;
  readonly #context: LlamaContext;
  readonly #native: NativeContext;
  readonly #single = new Uint32Array(1);
  #threads = 0;

  private constructor(context: LlamaContext, layout: KvLayout, options: ContextOptions) {
    this.#context = context;
    this.#native = nativeContext(context);
    this.layout = layout;
    this.chunkTokens = options.chunkTokens;
    this.sequences = new SequenceState(context);
    this.valuesByColumn = !options.flashAttention;
    this.contextTokens = Math.min(options.contextTokens, this.#native.getContextSize());
  }

  static async create(
    { log }: LoadedLlama,
    model: LlamaModel,
    options: ContextOptions,
    signal: AbortSignal,
  ): Promise<ModelContext> {
    log.clear();
    const context = await model.createContext({
      contextSize: options.contextTokens,
      sequences: 1,
      batchSize: options.chunkTokens,
      flashAttention: options.flashAttention,
      createSignal: signal,
    });
    await log.settled();
    return new ModelContext(context, kvLayout(log.lines, options.rowBytes), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.dispose();
  }

  /** That compute; 0 before anybody has set them. */
  get threads(): number {
    return this.#threads;
  }

  setThreads(threads: number): void {
    this.#threads = threads;
    this.#native.setThreads(threads);
  }

  /** Computes a chunk behind the cells there are. Returns where the last token's logits are, if they are wanted. */
  async computeChunk(position: number, tokens: readonly number[], wantsLogits: boolean): Promise<LogitIndex | null> {
    const logits = wantsLogits ? Uint32Array.of(tokens.length - 1) : new Uint32Array(0);
    this.#native.initBatch(tokens.length);
    const [index = null] = this.#native.addToBatch(sequence, position, Uint32Array.from(tokens), logits);
    await this.#decode();
    return index;
  }

  async computeToken(position: number, token: number): Promise<LogitIndex> {
    this.#single[0] = token;
    this.#native.initBatch(1);
    const [index = 0] = this.#native.addToBatch(sequence, position, this.#single, firstIndex);
    await this.#decode();
    return index;
  }

  async sample(index: LogitIndex, sampler: TokenSampler): Promise<number> {
    const token = await this.#native.sampleToken(index, sampler.native);
    if (token >= 0) return token;
    throw new RepriseError("ENGINE_FAILED", "The model gave no usable next word. Its file may be damaged.", {
      reason: "no candidate token",
    });
  }

  /** The logits of all tokens of the vocabulary, by token id. */
  async logits(index: LogitIndex, sampler: TokenSampler): Promise<Float32Array | null> {
    return await this.#native
      .sampleToken(index, sampler.native, false, false, true)
      .then(([, , , pairs]) => logitsOf(pairs));
  }

  /** Frees the cells from a position on. False where the model cannot go back to it. */
  truncate(position: number): boolean {
    return this.#native.removeTokenCellsFromSequence(sequence, position, -1);
  }

  clear(): void {
    this.#native.removeTokenCellsFromSequence(sequence, -1, -1);
  }

  /** The first position whose keys and values are all still there; `null` when the cells are empty. */
  get firstPosition(): number | null {
    const position = this.#native.getSequenceKvCacheMinPosition(sequence);
    return position < 0 ? null : position;
  }

  /** Cells and compute buffers together, wherever they lie. */
  get allocatedBytes(): number {
    const { cpuRam, gpuVram } = this.#native.getMemoryBreakdown();
    return cpuRam + gpuVram;
  }

  async #decode(): Promise<void> {
    try {
      await this.#native.decodeBatch();
    } catch (caught) {
      const reason = caught instanceof Error ? caught.message : String(caught);
      const sentence = "The model could not be computed. The answer so far was kept; send the message again to go on.";
      throw new RepriseError("ENGINE_FAILED", sentence, { reason }, { cause: caught });
    }
  }
}

/** Token, logit, token, logit, and so on. */
function logitsOf(pairs: readonly number[] | undefined): Float32Array | null {
  if (pairs === undefined || pairs.length === 0) return null;
  const logits = new Float32Array(pairs.length / 2);
  for (let index = 0; index < pairs.length; index += 2) logits[pairs[index] ?? 0] = pairs[index + 1] ?? 0;
  return logits;
}
