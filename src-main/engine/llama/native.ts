/**
 * The part of node-llama-cpp's internals that the engine's own loop stands on, as types, and the one place that reaches
 * for it. Its contract tests are in test/engine/llama/: a release that changes a fact fails there by name.
 */
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { RepriseError } from "../../contract/errors.ts";

/** Position in the batch that logits were asked for. */
export type LogitIndex = number;

/**
 * Whether the library's jobs are done in the order in which they were asked for, one at a time: where libuv has a single
 * worker. It reads the variable once, from the environment the process was started with.
 */
export const jobsAreOrdered = process.env["UV_THREADPOOL_SIZE"] === "1";

export interface NativeContext {
  /** Replaces the batch. Throws beyond the context's batch size. */
  initBatch(tokens: number): void;
  /** Positions count up from `position`. `logits`: indexes in `tokens`, ascending. Returns their places in the batch. */
  addToBatch(sequence: number, position: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array;
  /** Computes the batch on the worker thread; done when the computation is. */
  decodeBatch(): Promise<void>;
  /** The token, or -1 where none could be chosen. The sampler takes note of it. */
  sampleToken(index: LogitIndex, sampler: NativeSampler): Promise<number>;
  /** The same with all logits, as pairs of token and logit. */
  sampleToken(
    index: LogitIndex,
    sampler: NativeSampler,
    probabilities: false,
    confidence: false,
    logits: true,
  ): Promise<
    readonly [token: number, probabilities: undefined, confidence: undefined, logits: readonly number[] | undefined]
  >;
  /** Negative bounds are open. False where the memory cannot do it (recurrent models in the middle). */
  removeTokenCellsFromSequence(sequence: number, from: number, to: number): boolean;
  /** -1 when empty. */
  getSequenceKvCacheMinPosition(sequence: number): number;
  getContextSize(): number;
  /** Bytes of cells and compute buffers together. */
  getMemoryBreakdown(): { readonly cpuRam: number; readonly gpuVram: number };
  setThreads(threads: number): void;
}

export interface NativeSamplerConfig {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
  readonly seed: number;
  readonly repeatPenalty: number;
  readonly repeatPenaltyMaxTokens: number;
  /** The tokens before the first sampled one; without them there is no penalty at all. */
  readonly repeatPenaltyTokens: Uint32Array;
}

export interface NativeSampler {
  applyConfig(config: NativeSamplerConfig): void;
  dispose(): void;
}

export interface NativeModel {
  tokenize(text: string, special: boolean): Uint32Array;
  /** Ends the process for an id outside the vocabulary, like the next two. */
  getTokenAttributes(token: number): number;
  getTokenString(token: number): string;
  isEogToken(token: number): boolean;
  detokenize(tokens: Uint32Array, special: boolean): string;
}

interface NativeBindings {
  readonly AddonSampler: new (model: NativeModel) => NativeSampler;
  getBlockSizeForGgmlType(type: number): number | undefined;
  getTypeSizeForGgmlType(type: number): number | undefined;
  getIsArchSupported(architecture: string): boolean;
  dispose(): Promise<void>;
}

export function nativeContext(context: LlamaContext): NativeContext {
  return internal(context, "_ctx", ["initBatch", "addToBatch", "decodeBatch", "sampleToken"]) as NativeContext;
}

export function nativeModel(model: LlamaModel): NativeModel {
  return internal(model, "_model", ["tokenize", "getTokenAttributes", "isEogToken"]) as NativeModel;
}

export function nativeBindings(llama: Llama): NativeBindings {
  return internal(llama, "_bindings", ["AddonSampler", "getTypeSizeForGgmlType"]) as NativeBindings;
}

/** An internal field of the library, checked to be what the types above say before anything is built on it. */
function internal(owner: object, field: string, methods: readonly string[]): object {
  const value: unknown = Reflect.get(owner, field);
  const isWhole =
    typeof value === "object" &&
    value !== null &&
    methods.every((method) => typeof Reflect.get(value, method) === "function");
  if (isWhole) return value;
  throw new RepriseError(
    "ENGINE_FAILED",
    "This copy of Reprise is damaged: its engine library is not the one it needs.",
    {
      reason: `node-llama-cpp has no usable ${field}`,
    },
  );
}
