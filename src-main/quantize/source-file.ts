import { basename } from "node:path";
import { RepriseError } from "../contract/errors.ts";
import { readGgufHeader, type GgufHeader } from "../gguf/gguf-header.ts";
import { textValue } from "../gguf/gguf-values.ts";

/** Throws MODEL_INVALID for a file that holds no model; what is missing inside of one is for the library to find. */
export function refuseOtherFiles(path: string): void {
  const header = headerOf(path);
  const architecture = textValue(header, "general.architecture");
  const kind = textValue(header, "general.type") ?? architecture;
  if (kind === "adapter") throw sourceProblem(path, "it holds an adapter for a model and not a model");
  if (kind === "imatrix") throw sourceProblem(path, "it holds an importance matrix and not a model");
  if (kind === "mmproj" || kind === "clip") {
    throw sourceProblem(path, "it holds the picture reader of a model and not the model itself");
  }
  if (architecture === null) throw sourceProblem(path, "it does not say which architecture it has");
  if (header.tensors.length === 0) throw sourceProblem(path, "it holds no weights");
}

export function sourceProblem(path: string, reason: string): RepriseError<"MODEL_INVALID"> {
  const sentence = `${basename(path)} cannot be quantized: ${reason}. It was left as it is.`;
  return new RepriseError("MODEL_INVALID", sentence, { path, reason });
}

function headerOf(path: string): GgufHeader {
  try {
    return readGgufHeader(path);
  } catch (caught) {
    throw sourceProblem(path, caught instanceof Error ? caught.message : String(caught));
  }
}
