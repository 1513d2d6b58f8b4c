import { basename } from "node:path";
import { InsufficientMemoryError, type LlamaModel } from "node-llama-cpp";
import { RepriseError } from "../../contract/errors.ts";
import type { LoadOptions } from "../../contract/model-settings.ts";
import { modelFileError } from "./inspect-model.ts";
import type { LlamaLog, LoadedLlama } from "./load-llama.ts";

export interface LoadWeightsOptions {
  readonly options: Pick<LoadOptions, "gpuLayers" | "useMmap" | "useMlock">;
  /** In place of what the file says; see ropeOverrides. */
  readonly metadata: Readonly<Record<string, object>>;
  /** Reads every tensor and refuses values that are no numbers: for the first load of a file. */
  readonly checkTensors: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number) => void;
}

/** Loads a model's weights. Throws MODEL_INVALID, ENGINE_FAILED (memory), or the signal's reason. */
export async function loadWeights(
  { llama, log }: LoadedLlama,
  path: string,
  { options, metadata, checkTensors, signal, onProgress }: LoadWeightsOptions,
): Promise<LlamaModel> {
  log.clear();
  try {
    return await llama.loadModel({
      modelPath: path,
      gpuLayers: options.gpuLayers,
      // Locked weights are read into memory of their own, and `auto` maps a file wherever that is no drawback.
      useMmap: options.useMmap && !options.useMlock ? "auto" : false,
      useMlock: options.useMlock,
      metadataOverrides: metadata,
      checkTensors,
      loadSignal: signal,
      onLoadProgress: onProgress,
    });
  } catch (caught) {
    signal.throwIfAborted();
    if (caught instanceof InsufficientMemoryError) throw memoryError(path, caught);
    await log.settled();
    throw modelFileError(path, new Error(reportedReason(log) ?? messageOf(caught), { cause: caught }));
  }
}

/** Whether the weights of a load that ended well could not be locked; `lines`: of the log since its beginning. */
export function saysNotLocked(lines: readonly string[]): boolean {
  return lines.some((line) => /failed to mlock|mlock not supported/.test(line));
}

/** Also where the context does not fit beside the weights, for which the library has no better word than "failed". */
export function memoryError(path: string, caught: unknown): RepriseError {
  const sentence = `There is not enough free memory for ${basename(path)}. Close other programs, or choose a smaller model.`;
  return new RepriseError("ENGINE_FAILED", sentence, { reason: messageOf(caught) }, { cause: caught });
}

/** llama.cpp throws nothing but "failed"; why is in its log. */
function reportedReason(log: LlamaLog): string | null {
  const reasons = log.lines.flatMap((line) => /error loading model: (.+)/.exec(line)?.[1] ?? []);
  return reasons.at(-1)?.trim() ?? null;
}

function messageOf(caught: unknown): string {
  return caught instanceof Error ? caught.message : String(caught);
}
