import { totalmem } from "node:os";
import type { Llama } from "node-llama-cpp";
import { RepriseError } from "../../contract/errors.ts";
import type { FigureSource, MemoryPlan, PlanInput } from "../../contract/memory-plan.ts";
import { defaultLoadOptions, type LoadOptions } from "../../contract/model-settings.ts";
import { cacheShape } from "../../gguf/cache-shape.ts";
import { computeBytes, computeShape } from "../../gguf/compute-bytes.ts";
import type { GgufHeader } from "../../gguf/gguf-header.ts";
import type { GgufParts } from "../../gguf/gguf-parts.ts";
import { numberValue, textValue } from "../../gguf/gguf-values.ts";
import {
  cacheBytes,
  kvBytesPerToken,
  mostTokensWithin,
  totalBytes,
  type ContextChoice,
  type ModelShape,
} from "../../gguf/memory-plan.ts";
import { weightsBytes } from "../../gguf/tensor-bytes.ts";
import { cacheSettings } from "./cache-settings.ts";
import { engineKnowledge, inspectModel } from "./inspect-model.ts";
import { comfortableTokens } from "../sizing/plan-context.ts";
import { loraAdapters } from "./lora-adapters.ts";
import { chunkTokensOf } from "./open-model.ts";

/** For the system and everything else that runs. */
const reserveBytes = 1.5 * 2 ** 30;

/** Of a file that need not be loaded. Throws MODEL_MISSING, MODEL_INVALID, or OPTIONS_REFUSED. */
export async function planModel(llama: Llama, input: PlanInput, measured: MemoryPlan["measured"]): Promise<MemoryPlan> {
  const { parts } = inspectModel(llama, input.path);
  const { header } = parts[0];
  const own = modelShape(llama, parts);
  if (own === null) throw unplannable(input.path);
  const { cache } = own;
  const options = input.options ?? defaultLoadOptions;
  const adapterBytes = loraAdapters(header, options.loras).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const model: ModelShape = { ...own, weightsBytes: own.weightsBytes + adapterBytes };
  const trainedContextTokens = trainedTokens(header);
  const choice = chosen(llama, input, options, header, trainedContextTokens);
  const budgetBytes = input.budgetBytes ?? (await machineBytes(llama));
  const longest = (users: number) =>
    mostTokensWithin(
      budgetBytes,
      (tokens) => totalBytes(model, { ...choice, users, contextTokens: tokens }) + reserveBytes,
    );
  const total = totalBytes(model, choice);
  return {
    path: input.path,
    weightsBytes: own.weightsBytes,
    adapterBytes,
    kvBytesPerToken: kvBytesPerToken(cache, choice),
    computeBytes: computeBytes(model.compute, choice),
    reserveBytes,
    maxTokens: longest(1),
    maxTokensPerUser: longest(choice.users),
    contextTokens: choice.contextTokens,
    users: choice.users,
    budgetBytes,
    keyType: choice.keyType,
    valueType: choice.valueType,
    flashAttention: choice.flashAttention,
    cacheBytes: cacheBytes(cache, choice),
    totalBytes: total,
    missingBytes: Math.max(0, total + reserveBytes - budgetBytes),
    trainedContextTokens,
    attention: cache.attention,
    layers: {
      all: cache.layers.filter(({ keeps }) => keeps === "all").length,
      window: cache.layers.filter(({ keeps }) => keeps === "window").length,
      state: cache.layers.filter(({ stateElements }) => stateElements > 0).length,
      windowTokens: cache.windowTokens,
    },
    sources: sources(input, cache.isComplete),
    measured,
  };
}

/** `null` where the file does not say how its attention is built. */
export function modelShape(llama: Llama, parts: GgufParts): ModelShape | null {
  const { header } = parts[0];
  const cache = cacheShape(header);
  if (cache === null) return null;
  const headers = parts.map((part) => part.header);
  return {
    weightsBytes: weightsBytes(headers, engineKnowledge(llama).tensorType),
    cache,
    compute: computeShape(header, cache),
  };
}

/** Memory that models may lie in: the machine's, and a graphics card's own. */
async function machineBytes(llama: Llama): Promise<number> {
  const own = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  if (llama.gpu === false) return own;
  const { total, unifiedSize } = await llama.getVramState();
  return own + Math.max(0, total - unifiedSize);
}

function chosen(
  llama: Llama,
  input: PlanInput,
  options: LoadOptions,
  header: GgufHeader,
  trained: number | null,
): ContextChoice {
  const usual = Math.min(trained ?? comfortableTokens, comfortableTokens);
  return {
    ...cacheSettings(header, options, input.path),
    contextTokens: input.contextTokens ?? options.contextTokens ?? usual,
    users: input.users ?? 1,
    chunkTokens: chunkTokensFor(llama, header, trained),
  };
}

/** The library makes room for one token more in the chunks of a model with a window. */
export function chunkTokensFor(llama: Llama, header: GgufHeader, trained: number | null): number {
  return chunkTokensOf(llama) + (hasWindow(header, trained) ? 1 : 0);
}

export function trainedTokens(header: GgufHeader): number | null {
  const tokens = numberValue(header, `${textValue(header, "general.architecture") ?? ""}.context_length`);
  return tokens !== null && Number.isSafeInteger(tokens) ? tokens : null;
}

function hasWindow(header: GgufHeader, trained: number | null): boolean {
  const architecture = textValue(header, "general.architecture") ?? "";
  const window = numberValue(header, `${architecture}.attention.sliding_window`) ?? 0;
  return window > 0 && (trained === null || window < trained);
}

function sources(input: PlanInput, isComplete: boolean): Record<keyof MemoryPlan["sources"], FigureSource> {
  const cache = isComplete ? "formula" : "estimate";
  return {
    weightsBytes: "metadata",
    adapterBytes: "metadata",
    kvBytesPerToken: cache,
    cacheBytes: cache,
    computeBytes: "estimate",
    reserveBytes: "rule",
    budgetBytes: input.budgetBytes === undefined ? "machine" : "given",
    contextTokens: (input.contextTokens ?? input.options?.contextTokens ?? null) === null ? "rule" : "given",
  };
}

function unplannable(path: string): RepriseError<"MODEL_INVALID"> {
  const reason = "its file does not say how its attention is built";
  const sentence = `How much memory this model needs cannot be told: ${reason}. It may load all the same.`;
  return new RepriseError("MODEL_INVALID", sentence, { path, reason });
}
