import type { LlamaContext, LlamaModel } from "node-llama-cpp";
import type { CacheType } from "../../contract/model-settings.ts";
import type { CacheSettings } from "./cache-settings.ts";
import { kvLayout, type KvLayout } from "./kv-layout.ts";
import type { LoadedLlama } from "./load-llama.ts";
import { memoryError } from "./load-weights.ts";
import type { LoraAdapter } from "./lora-adapters.ts";
import { nativeContext, type NativeContext } from "./native.ts";
import { optionsRefused } from "./options-refused.ts";
import { SequenceState } from "./sequence-state.ts";

export interface ContextOptions extends CacheSettings {
  readonly contextTokens: number;
  /** The most tokens computed in one call, which cannot be interrupted. */
  readonly chunkTokens: number;
  /** See kvRowBytes. */
  readonly rowBytes: readonly number[] | null;
  readonly adapters: readonly LoraAdapter[];
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

const typeNames = { f16: "F16", q8_0: "Q8_0", q4_0: "Q4_0" } as const satisfies Record<CacheType, string>;

/** Throws the signal's reason, ENGINE_FAILED (memory), or OPTIONS_REFUSED for an adapter that llama.cpp does not take. */
export async function openContext(
  { llama, log }: LoadedLlama,
  model: LlamaModel,
  options: ContextOptions,
  signal?: AbortSignal,
): Promise<OpenContext> {
  const { contextTokens, chunkTokens, flashAttention, rowBytes, adapters, path } = options;
  log.clear();
  try {
    const context = await model.createContext({
      contextSize: contextTokens,
      sequences: 1,
      batchSize: chunkTokens,
      flashAttention,
      ...typesOf(options),
      lora: { adapters: adapters.map((adapter) => ({ filePath: adapter.path, scale: adapter.scale })) },
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
    await log.settled();
    const adapter = refusedAdapter(log.lines);
    throw adapter === null ? memoryError(path, caught) : optionsRefused("adapter-of-other-model", adapter, caught);
  }
}

/** The library warns of these, which are not for every model: cacheSettings refuses the others. */
function typesOf({ keyType, valueType }: CacheSettings): object {
  return {
    experimentalKvCacheKeyType: typeNames[keyType],
    experimentalKvCacheValueType: typeNames[valueType],
  };
}

function refusedAdapter(lines: readonly string[]): string | null {
  if (!lines.some((line) => line.includes("failed to apply lora adapter"))) return null;
  return lines.flatMap((line) => /loading lora adapter from '(.+)'/.exec(line)?.[1] ?? []).at(-1) ?? null;
}
