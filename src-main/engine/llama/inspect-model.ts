import { basename } from "node:path";
import { GgufFileType, type Llama } from "node-llama-cpp";
import type { ModelCheck } from "../../contract/memory-plan.ts";
import { RepriseError, toRepriseError } from "../../contract/errors.ts";
import type { GgufSummary } from "../../contract/model.ts";
import { GgufError } from "../../gguf/file-window.ts";
import type { ReadHeaderOptions } from "../../gguf/gguf-header.ts";
import { readGgufParts, type GgufParts } from "../../gguf/gguf-parts.ts";
import type { EngineKnowledge } from "../../gguf/gguf-summary.ts";
import { findings, summaryOf } from "../../gguf/model-problems.ts";
import { nativeBindings } from "./native.ts";

export interface InspectedModel {
  readonly parts: GgufParts;
  readonly summary: GgufSummary;
}

/** Costs some of what loading does: only before that, and where it was asked for. */
const withVocabulary: ReadHeaderOptions = { keepTextsOf: "tokenizer.ggml.tokens" };

/** Reads the headers of a model's files without loading its weights. Throws MODEL_MISSING or MODEL_INVALID. */
export function inspectModel(llama: Llama, path: string): InspectedModel {
  return inspect(llama, path, {});
}

/** The same before a load: looks at the vocabulary too, in which llama.cpp ends the process over a mistake. */
export function inspectBeforeLoading(llama: Llama, path: string): InspectedModel {
  return inspect(llama, path, withVocabulary);
}

/** Throws MODEL_MISSING where there is no file that could be looked into; anything else is the result. */
export function checkModel(llama: Llama, path: string): ModelCheck {
  try {
    const { problems } = findings(readGgufParts(path, withVocabulary), engineKnowledge(llama));
    return { ok: problems.length === 0, problems: problems.map(asSentence) };
  } catch (caught) {
    const error = modelFileError(path, caught);
    if (error.code !== "MODEL_INVALID") throw error;
    return { ok: false, problems: [asSentence((error as RepriseError<"MODEL_INVALID">).data.reason)] };
  }
}

function inspect(llama: Llama, path: string, options: ReadHeaderOptions): InspectedModel {
  try {
    const parts = readGgufParts(path, options);
    return { parts, summary: summaryOf(parts, engineKnowledge(llama)) };
  } catch (caught) {
    throw modelFileError(path, caught);
  }
}

export function engineKnowledge(llama: Llama): EngineKnowledge {
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

/** A clause that fits after "because", by itself. */
export function asSentence(clause: string): string {
  return `${clause.slice(0, 1).toUpperCase()}${clause.slice(1)}.`;
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
