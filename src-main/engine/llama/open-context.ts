import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import { kvLayout, type KvLayout } from "./kv-layout.ts";
import type { LoadedLlama } from "./load-llama.ts";
import { memoryError } from "./load-weights.ts";
import { nativeContext, type NativeContext } from "./native.ts";
import { SequenceState } from "./sequence-state.ts";

export interface ContextOptions {
  readonly contextTokens: number;
  /** The most tokens computed in one call, which cannot be interrupted. */
  readonly chunkTokens: number;
  readonly flashAttention: boolean;
  /** See kvRowBytes. */
  readonly rowBytes: readonly number[] | null;
  /** Of the model, for the sentence that says where memory was short. */
  readonly path: string;
}

/** A context of the library, and what is known of it. */
export interface OpenContext {
  readonly context: LlamaContext;
  readonly native: NativeContext;
  readonly sequences: SequenceState;
  readonly layout: KvLayout;
  readonly contextTokens: number;
}

/** Throws the signal's reason, or ENGINE_FAILED (memory). */
export async function openContext(
  { llama, log }: LoadedLlama,
  model: LlamaModel,
  { contextTokens, chunkTokens, flashAttention, rowBytes, path }: ContextOptions,
  signal?: AbortSignal,
): Promise<OpenContext> {
  log.clear();
  try {
    const context = await model.createContext({
      contextSize: contextTokens,
      sequences: 1,
      batchSize: chunkTokens,
      flashAttention,
      // It counts memory that files are cached in as used up: on a machine that has run for a while, nearly all.
      ignoreMemorySafetyChecks: llama.gpu === false,
      ...(signal === undefined ? {} : { createSignal: signal }),
    });
    await log.settled();
    const native = nativeContext(context);
    return {
      context,
      native,
      sequences: new SequenceState(context),
      layout: kvLayout(log.lines, rowBytes),
      contextTokens: Math.min(contextTokens, native.getContextSize()),
    };
  } catch (caught) {
    signal?.throwIfAborted();
    throw memoryError(path, caught);
  }
}
