import { basename } from "node:path";
import { InsufficientMemoryError, type LlamaModel } from "node-llama-cpp";
import { RepriseError } from "../../contract/errors.ts";
import { modelFileError } from "./inspect-model.ts";
import type { LlamaLog, LoadedLlama } from "./load-llama.ts";

export interface LoadWeightsOptions {
  /** Reads every tensor and refuses values that are no numbers: for the first load of a file. */
  readonly checkTensors: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number) => void;
}

/** Loads a model's weights. Throws MODEL_INVALID, ENGINE_FAILED (memory), or the signal's reason. */
export async function loadWeights(
  { llama, log }: LoadedLlama,
  path: string,
  { checkTensors, signal, onProgress }: LoadWeightsOptions,
): Promise<LlamaModel> {
  log.clear();
  try {
    return await llama.loadModel({ modelPath: path, checkTensors, loadSignal: signal, onLoadProgress: onProgress });
  } catch (caught) {
    signal.throwIfAborted();
    if (caught instanceof InsufficientMemoryError) throw memoryError(path, caught);
    await log.settled();
    throw modelFileError(path, new Error(reportedReason(log) ?? messageOf(caught), { cause: caught }));
  }
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
