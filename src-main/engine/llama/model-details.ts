import { GgmlType, type Llama } from "node-llama-cpp";
import type { ModelDetails } from "../../contract/memory-plan.ts";
import { GgufError } from "../../gguf/file-window.ts";
import { readGgufHeader, type GgufHeader } from "../../gguf/gguf-header.ts";
import { ggufKind } from "../../gguf/gguf-kind.ts";
import { readGgufParts, type GgufParts } from "../../gguf/gguf-parts.ts";
import { findings } from "../../gguf/model-problems.ts";
import { tensorBytes, type TensorTypes } from "../../gguf/tensor-bytes.ts";
import { asSentence, engineKnowledge, modelFileError } from "./inspect-model.ts";

const longestText = 400;

/** Of any GGUF file, whatever kind it is. Throws MODEL_MISSING, and MODEL_INVALID for a file without a whole header. */
export function modelDetails(llama: Llama, path: string): ModelDetails {
  const engine = engineKnowledge(llama);
  const { parts, missing } = readParts(path);
  const { summary, problems } = findings(parts, engine);
  const problem = missing ?? problems[0] ?? null;
  return {
    path,
    kind: ggufKind(parts[0].header),
    files: parts.map((part) => ({ path: part.path, sizeBytes: part.header.sizeBytes })),
    summary: problem === null ? summary : null,
    problem: problem === null ? null : asSentence(problem),
    tensors: parts.reduce((sum, { header }) => sum + header.tensors.length, 0),
    tensorTypes: tensorTypes(parts, engine.tensorType),
    metadata: shownMetadata(parts[0].header),
  };
}

/** Where further parts are missing the first one tells about itself all the same. */
function readParts(path: string): { parts: GgufParts; missing: string | null } {
  try {
    const first = { path, header: readGgufHeader(path) };
    try {
      return { parts: readGgufParts(path), missing: null };
    } catch (caught) {
      if (!(caught instanceof GgufError)) throw caught;
      return { parts: [first], missing: ggufKind(first.header) === "part" ? null : caught.message };
    }
  } catch (caught) {
    throw modelFileError(path, caught);
  }
}

function tensorTypes(parts: GgufParts, known: TensorTypes): ModelDetails["tensorTypes"] {
  const types = new Map<number, { tensors: number; bytes: number }>();
  for (const tensor of parts.flatMap(({ header }) => header.tensors)) {
    const { tensors, bytes } = types.get(tensor.type) ?? { tensors: 0, bytes: 0 };
    const own = known(tensor.type) === null ? 0 : tensorBytes(tensor, known);
    types.set(tensor.type, { tensors: tensors + 1, bytes: bytes + own });
  }
  return [...types]
    .map(([type, counts]) => ({ type: GgmlType[type] ?? String(type), ...counts }))
    .sort((one, other) => other.bytes - one.bytes);
}

function shownMetadata({ metadata }: GgufHeader): ModelDetails["metadata"] {
  const shown = [...metadata].map(([key, value]): [string, ModelDetails["metadata"][string]] => {
    if (typeof value === "object") return [key, { length: value.length }];
    if (typeof value === "string" && value.length > longestText) return [key, `${value.slice(0, longestText)}…`];
    // No number beyond these can cross a process.
    return [key, typeof value === "number" && !Number.isFinite(value) ? String(value) : value];
  });
  return Object.fromEntries(shown);
}
