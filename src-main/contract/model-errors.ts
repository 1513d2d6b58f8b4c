/** What is said of a model file that cannot be used, whichever layer finds it out. */
import { RepriseError } from "./errors.ts";

export function modelMissing(path: string): RepriseError<"MODEL_MISSING"> {
  const sentence = `There is no model file at ${path}. Put it back, or choose another model.`;
  return new RepriseError("MODEL_MISSING", sentence, { path });
}

/** `reason`: a clause that fits after "because". */
export function modelUnusable(path: string, reason: string): RepriseError<"MODEL_INVALID"> {
  const sentence = `${path} cannot be used as a model: ${reason}. The file was left as it is; choose another.`;
  return new RepriseError("MODEL_INVALID", sentence, { path, reason });
}
