/** What a header says of the model, and whether this engine can answer with it. Pure: what the library knows is passed in. */
import { basename, extname } from "node:path";
import type { GgufSummary } from "../contract/model.ts";
import { GgufError } from "./file-window.ts";
import type { GgufHeader, GgufTensor } from "./gguf-header.ts";
import { numberValue, textValue } from "./gguf-values.ts";

/** What the engine's release of llama.cpp knows. */
export interface EngineKnowledge {
  readonly knowsArchitecture: (architecture: string) => boolean;
  /** Elements and bytes of one block of a tensor type; `null` for a type of a newer release. */
  readonly tensorType: (type: number) => { readonly blockElements: number; readonly blockBytes: number } | null;
  /** Quantization level of a `general.file_type`, as the field writes it. */
  readonly quantization: (fileType: number) => string | null;
}

/** llama.cpp ends the process on a model with more. */
const maximumLayers = 512;

/** Throws GgufError where the file is incomplete, or a model that this engine cannot answer with. */
export function summarizeGguf(header: GgufHeader, path: string, engine: EngineKnowledge): GgufSummary {
  const architecture = textValue(header, "general.architecture");
  if (architecture === null) throw new GgufError("it does not say which architecture it has");
  const layers = numberValue(header, `${architecture}.block_count`);
  refuseOtherKinds(header, architecture, engine);
  if (layers !== null && layers > maximumLayers) {
    throw new GgufError(`it claims ${layers} layers, and the engine takes ${maximumLayers} at most`);
  }
  checkTensors(header, engine);
  const fileType = numberValue(header, "general.file_type");
  return {
    name: textValue(header, "general.name") ?? basename(path, extname(path)),
    architecture,
    quantization: fileType === null ? null : engine.quantization(fileType),
    trainedContextTokens: numberValue(header, `${architecture}.context_length`),
    layers,
    sizeBytes: header.sizeBytes,
  };
}

function refuseOtherKinds(header: GgufHeader, architecture: string, engine: EngineKnowledge): void {
  const kind = textValue(header, "general.type");
  if (kind === "adapter") throw new GgufError("it holds an adapter for a model and not a model");
  if (kind === "mmproj" || architecture === "clip") {
    throw new GgufError("it holds the picture reader of a model and not the model itself");
  }
  if (!engine.knowsArchitecture(architecture)) {
    throw new GgufError(`its architecture, ${architecture}, is unknown to this release of the engine`);
  }
  const isCausal = header.metadata.get(`${architecture}.attention.causal`) !== false;
  if (!isCausal || architecture.startsWith("t5")) {
    throw new GgufError("it is made for other work than answering, such as embeddings or translation");
  }
  const tokens = header.metadata.get("tokenizer.ggml.tokens");
  const hasTokens = typeof tokens === "object" && tokens.length > 0;
  if (!hasTokens || textValue(header, "tokenizer.ggml.model") === null) throw new GgufError("it has no tokenizer");
}

function checkTensors(header: GgufHeader, engine: EngineKnowledge): void {
  if (header.tensors.length === 0) throw new GgufError("it holds no weights");
  const end = header.tensors.reduce(
    (latest, tensor) => Math.max(latest, tensor.offsetBytes + tensorBytes(tensor, engine)),
    0,
  );
  if (end > header.sizeBytes) {
    const missing = Math.ceil((end - header.sizeBytes) / 1_000_000);
    throw new GgufError(`it is incomplete: its last ${missing} MB are missing`);
  }
}

function tensorBytes(tensor: GgufTensor, engine: EngineKnowledge): number {
  const type = engine.tensorType(tensor.type);
  if (type === null) throw new GgufError(`its tensor ${tensor.name} has a type unknown to this release of the engine`);
  const elements = tensor.shape.reduce((product, length) => product * length, 1);
  return (elements / type.blockElements) * type.blockBytes;
}
