import { basename } from "node:path";
import { GgufFileType, type Llama } from "node-llama-cpp";
import { RepriseError, toRepriseError } from "../../contract/errors.ts";
import type { GgufSummary } from "../../contract/model.ts";
import { GgufError } from "../../gguf/file-window.ts";
import { readGgufHeader, type GgufHeader } from "../../gguf/gguf-header.ts";
import { summarizeGguf, type EngineKnowledge } from "../../gguf/gguf-summary.ts";
import { nativeBindings } from "./native.ts";

export interface InspectedModel {
  readonly header: GgufHeader;
  readonly summary: GgufSummary;
}

/** Reads a model file's header without loading its weights. Throws MODEL_MISSING or MODEL_INVALID. */
export function inspectModel(llama: Llama, path: string): InspectedModel {
  try {
    const header = readGgufHeader(path);
    return { header, summary: summarizeGguf(header, path, engineKnowledge(llama)) };
  } catch (caught) {
    throw modelFileError(path, caught);
  }
}

function engineKnowledge(llama: Llama): EngineKnowledge {
  const bindings = nativeBindings(llama);
  return {
    knowsArchitecture: (architecture) => bindings.getIsArchSupported(architecture),
    tensorType: (type) => {
      const blockElements = bindings.getBlockSizeForGgmlType(type);
      const blockBytes = bindings.getTypeSizeForGgmlType(type);
      return blockElements && blockBytes ? { blockElements, blockBytes } : null;
    },
    quantization: (fileType) => GgufFileType[fileType]?.replace(/^(MOSTLY|ALL)_/, "") ?? null,
  };
}

/** The same file may fail in the header's reader or later in the library; both become one of these two errors. */
export function modelFileError(path: string, caught: unknown): RepriseError {
  if (caught instanceof RepriseError) return toRepriseError(caught);
  const name = basename(path);
  const code = caught instanceof Error && "code" in caught ? caught.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") {
    const sentence = `The model file ${name} is no longer where it was. Put it back or choose another.`;
    return new RepriseError("MODEL_MISSING", sentence, { path }, { cause: caught });
  }
  const reason = invalidReason(caught, code);
  const sentence = `${name} cannot be used: ${reason}. The file was left as it is; choose or fetch another.`;
  return new RepriseError("MODEL_INVALID", sentence, { path, reason }, { cause: caught });
}

function invalidReason(caught: unknown, code: unknown): string {
  if (caught instanceof GgufError) return caught.message;
  if (code === "EACCES" || code === "EPERM") return "Reprise may not read it";
  return caught instanceof Error ? caught.message : String(caught);
}
