import type { LlamaModel } from "node-llama-cpp";
import { RepriseError } from "../../contract/errors.ts";
import type { KvLayout } from "./kv-layout.ts";
import type { LoadedLlama } from "./load-llama.ts";
import type { LogitIndex, NativeContext } from "./native.ts";
import { openContext, type ContextOptions, type OpenContext } from "./open-context.ts";
import type { SequenceState } from "./sequence-state.ts";
import type { TokenSampler } from "./token-sampler.ts";

/** Throws the signal's reason, or ENGINE_FAILED (memory). */
type OpenContextOf = (contextTokens: number, signal?: AbortSignal) => Promise<OpenContext>;

const sequence = 0;
const firstIndex = Uint32Array.of(0);

/**
 * One context of llama.cpp with a single stream, driven directly. It owns the native context, which can be replaced by a
 * larger one, and nothing of what its cells mean. It never asks the library for a sequence object: when such an object
 * is garbage collected the library clears the cells, and its own bookkeeping would shift the context.
 */
export class ModelContext implements AsyncDisposable {
  readonly chunkTokens: number;
  /** How values lie in a state file: by column without flash attention. */
  readonly valuesByColumn: boolean;
  readonly #openContext: OpenContextOf;
  readonly #single = new Uint32Array(1);
  /** `null`: it was given back, and there was no memory for another one. */
  #open: OpenContext | null;
  #layout: KvLayout;
  #threads = 0;

  private constructor(open: OpenContext, openContext: OpenContextOf, options: ContextOptions) {
    this.#open = open;
    this.#layout = open.layout;
    this.#openContext = openContext;
    this.chunkTokens = options.chunkTokens;
    this.valuesByColumn = !options.flashAttention;
  }

  /** Throws the signal's reason, or ENGINE_FAILED (memory). */
  static async create(
    loaded: LoadedLlama,
    model: LlamaModel,
    options: ContextOptions,
    signal: AbortSignal,
  ): Promise<ModelContext> {
    const open: OpenContextOf = async (contextTokens, wanted) => {
      return await openContext(loaded, model, { ...options, contextTokens }, wanted);
    };
    return new ModelContext(await open(options.contextTokens, signal), open, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.context.dispose();
  }

  /** 0 while there is none. */
  get contextTokens(): number {
    return this.#open?.contextTokens ?? 0;
  }

  get layout(): KvLayout {
    return this.#layout;
  }

  /** Hidden ids, and states on their way to and from files. To be asked for each time. */
  get sequences(): SequenceState {
    return this.#opened.sequences;
  }

  /**
   * Frees the cells with all they hold, and makes others. Where there cannot be so many, there are as many as before
   * again. Throws ENGINE_FAILED (memory) where not even those can be had: then there is no context until this succeeds.
   */
  async resize(contextTokens: number): Promise<void> {
    const before = this.contextTokens;
    await this[Symbol.asyncDispose]();
    try {
      this.#open = await this.#openContext(contextTokens);
    } catch (caught) {
      if (before === 0) throw caught;
      this.#open = await this.#openContext(before);
    }
    this.#layout = this.#open.layout;
    if (this.#threads > 0) this.setThreads(this.#threads);
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

  /** The same with the logits of all tokens of the chunk. */
  async computeEvery(position: number, tokens: readonly number[]): Promise<readonly LogitIndex[]> {
    this.#native.initBatch(tokens.length);
    const all = Uint32Array.from(tokens, (_, index) => index);
    const indexes = this.#native.addToBatch(sequence, position, Uint32Array.from(tokens), all);
    await this.#decode();
    return Array.from(indexes);
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
    const position = this.#open?.native.getSequenceKvCacheMinPosition(sequence) ?? -1;
    return position < 0 ? null : position;
  }

  /** Cells and compute buffers together, wherever they lie. */
  get allocatedBytes(): number {
    if (this.#open === null) return 0;
    const { cpuRam, gpuVram } = this.#open.native.getMemoryBreakdown();
    return cpuRam + gpuVram;
  }

  get #native(): NativeContext {
    return this.#opened.native;
  }

  get #opened(): OpenContext {
    if (this.#open !== null) return this.#open;
    const sentence = "There is not enough free memory for a conversation. Close other programs, then send again.";
    throw new RepriseError("ENGINE_FAILED", sentence, { reason: "the context could not be made again" });
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
