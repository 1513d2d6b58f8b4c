import { RepriseError } from "../contract/errors.ts";
import { fileNameOf } from "./model-locator.ts";

export function isCrash(error: RepriseError): error is RepriseError<"ENGINE_CRASHED"> {
  return error.code === "ENGINE_CRASHED";
}

export function crashedWhileLoading(path: string, { data, cause }: RepriseError<"ENGINE_CRASHED">): RepriseError {
  const sentence = `The engine stopped while it was loading ${fileNameOf(path)}: ${data.cause}. Nothing was lost. It is not loaded again before you retry it from the list of models; choose another one meanwhile.`;
  return new RepriseError("ENGINE_CRASHED", sentence, data, { cause });
}
