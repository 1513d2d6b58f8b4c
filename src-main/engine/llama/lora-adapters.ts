import type { RepriseError } from "../../contract/errors.ts";
import type { LoadOptions } from "../../contract/model-settings.ts";
import { GgufError } from "../../gguf/file-window.ts";
import { readGgufHeader, type GgufHeader, type GgufTensor } from "../../gguf/gguf-header.ts";
import { numberValue, textValue } from "../../gguf/gguf-values.ts";
import { optionsRefused } from "./options-refused.ts";

export interface LoraAdapter {
  readonly path: string;
  readonly scale: number;
  /** Of its tensors. */
  readonly sizeBytes: number;
}

/**
 * The adapters to load with a model; those of no strength do nothing and are left out. Each is held against the model,
 * for the library only says that one "failed", and after the weights are loaded. Throws OPTIONS_REFUSED.
 */
export function loraAdapters(header: GgufHeader, loras: LoadOptions["loras"]): LoraAdapter[] {
  const wanted = loras.filter(({ scale }) => scale !== 0);
  for (const [index, { path }] of wanted.entries()) {
    if (wanted.findIndex((other) => other.path === path) < index) throw optionsRefused("adapter-twice", path);
  }
  return wanted.map(({ path, scale }) => {
    const adapter = readAdapter(path);
    checkAdapter(adapter, header, path);
    const start = Math.min(adapter.sizeBytes, ...adapter.tensors.map(({ offsetBytes }) => offsetBytes));
    return { path, scale, sizeBytes: adapter.sizeBytes - start };
  });
}

function readAdapter(path: string): GgufHeader {
  try {
    return readGgufHeader(path);
  } catch (caught) {
    const code = caught instanceof Error && "code" in caught ? caught.code : undefined;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    throw optionsRefused(isMissing ? "adapter-missing" : "adapter-unusable", path, caught);
  }
}

function checkAdapter(adapter: GgufHeader, model: GgufHeader, path: string): void {
  const isLora = textValue(adapter, "general.type") === "adapter" && textValue(adapter, "adapter.type") === "lora";
  // One that works only behind certain words would be wrong everywhere else.
  const isAlways = !adapter.metadata.has("adapter.alora.invocation_tokens");
  if (!isLora || !isAlways || adapter.tensors.length === 0) throw unusable(path, "it is no LoRA adapter");
  if (textValue(adapter, "general.architecture") !== textValue(model, "general.architecture"))
    throw optionsRefused("adapter-of-other-model", path);
  for (const [name, { a, b }] of pairs(adapter, path)) checkPair(name, a, b, model, path);
}

interface Pair {
  readonly a: GgufTensor;
  readonly b: GgufTensor;
}

function pairs({ tensors }: GgufHeader, path: string): Map<string, Pair> {
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const found = new Map<string, Pair>();
  for (const { name } of tensors.filter((tensor) => !tensor.name.endsWith("_norm.weight"))) {
    const base = name.replace(/\.lora_[ab]$/, "");
    const [a, b] = [byName.get(`${base}.lora_a`), byName.get(`${base}.lora_b`)];
    if (base === name || a === undefined || b === undefined) throw unusable(path, `${name} has no counterpart`);
    found.set(base, { a, b });
  }
  return found;
}

/** As llama.cpp checks it. */
function checkPair(name: string, a: GgufTensor, b: GgufTensor, model: GgufHeader, path: string): void {
  const target = model.tensors.find((tensor) => tensor.name === name);
  // A model in several files names in each only what lies there: llama.cpp looks at the others.
  if (target === undefined && (numberValue(model, "split.count") ?? 1) > 1) return;
  const [inputs, outputs] = target?.shape ?? [];
  const isEmbedding = name.endsWith("token_embd.weight");
  const isFitting = isEmbedding
    ? inputs === b.shape[1] && outputs === a.shape[1]
    : inputs === a.shape[0] && outputs === b.shape[1] && a.shape[1] === b.shape[0];
  if (!isFitting) throw optionsRefused("adapter-of-other-model", path);
}

function unusable(path: string, reason: string): RepriseError {
  return optionsRefused("adapter-unusable", path, new GgufError(reason));
}
