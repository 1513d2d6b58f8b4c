/** What a header says of the model, and whether this engine can answer with it. Pure: what the library knows is passed in. */
import { basename, extname } from "node:path";
import type { GgufSummary } from "../contract/model.ts";
import { GgufError } from "./file-window.ts";
import type { GgufHeader } from "./gguf-header.ts";
import { ggufKind } from "./gguf-kind.ts";
import { numberValue, textValue } from "./gguf-values.ts";
import { shownText } from "./shown-text.ts";
import { tensorBytes, type TensorTypes } from "./tensor-bytes.ts";

/** What the engine's release of llama.cpp knows. */
export interface EngineKnowledge {
  readonly knowsArchitecture: (architecture: string) => boolean;
  readonly tensorType: TensorTypes;
  /** Quantization level of a `general.file_type`, as the field writes it. */
  readonly quantization: (fileType: number) => string | null;
}

/** llama.cpp ends the process on a model with more. */
const maximumLayers = 512;

/**
 * `others`: of the further files of a model in several. Throws GgufError where a file is incomplete, or a model that this
 * engine cannot answer with.
 */
export function summarizeGguf(
  header: GgufHeader,
  path: string,
  engine: EngineKnowledge,
  others: readonly GgufHeader[] = [],
): GgufSummary {
  refuseOtherKinds(header);
  const architecture = textValue(header, "general.architecture");
  if (architecture === null) throw new GgufError("it does not say which architecture it has");
  const layers = numberValue(header, `${architecture}.block_count`);
  refuseOtherModels(header, architecture, engine);
  if (layers !== null && layers > maximumLayers) {
    throw new GgufError(`it claims ${layers} layers, and the engine takes ${maximumLayers} at most`);
  }
  const files = [header, ...others];
  if (files.every(({ tensors }) => tensors.length === 0)) throw new GgufError("it holds no weights");
  for (const file of files) checkTensors(file, engine);
  const fileType = numberValue(header, "general.file_type");
  const licence = textValue(header, "general.license");
  return {
    name: textValue(header, "general.name") ?? basename(path, extname(path)),
    architecture,
    quantization: fileType === null ? null : engine.quantization(fileType),
    trainedContextTokens: numberValue(header, `${architecture}.context_length`),
    layers,
    ...(licence !== null && { licence: shownText(licence) }),
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    ...(others.length > 0 && { parts: files.length }),
  };
}

function refuseOtherKinds(header: GgufHeader): void {
  switch (ggufKind(header)) {
    case "adapter":
      throw new GgufError("it holds an adapter for a model and not a model");
    case "projector":
      throw new GgufError("it holds the picture reader of a model and not the model itself");
    case "importance-matrix":
      throw new GgufError("it holds what a quantization is made with, and not a model");
    case "vocabulary":
      throw new GgufError("it holds no weights");
    case "part":
      throw new GgufError("it is a part of a model; choose its first part");
    case "model":
    case "other":
  }
}

function refuseOtherModels(header: GgufHeader, architecture: string, engine: EngineKnowledge): void {
  if (!engine.knowsArchitecture(architecture)) {
    throw new GgufError(`its architecture, ${shownText(architecture)}, is unknown to this release of the engine`);
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
  const end = header.tensors.reduce(
    (latest, tensor) => Math.max(latest, tensor.offsetBytes + tensorBytes(tensor, engine.tensorType)),
    0,
  );
  if (end > header.sizeBytes) {
    const missing = Math.ceil((end - header.sizeBytes) / 1_000_000);
    throw new GgufError(`it is incomplete: its last ${missing} MB are missing`);
  }
}
