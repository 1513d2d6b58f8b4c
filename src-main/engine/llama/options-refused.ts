import { basename } from "node:path";
import { RepriseError, type OptionProblem } from "../../contract/errors.ts";

const sentences: Readonly<Record<OptionProblem, (file: string) => string>> = {
  "values-need-flash-attention": (file) =>
    `Values in Q8_0 or Q4_0 need flash attention, which is switched off for ${file}. Nothing was loaded; switch it on, or keep values in F16.`,
  "no-flash-attention": (file) =>
    `${file} cannot use flash attention, which its load options ask for. Nothing was loaded; set flash attention to automatic and values to F16.`,
  "cache-type-does-not-fit": (file) =>
    `The keys and values of ${file} cannot be kept in Q8_0 or Q4_0: its heads are no multiple of 32. Nothing was loaded; keep them in F16.`,
  "cache-types-differ": (file) =>
    `${file} keeps keys and values in one, so both need the same type. Nothing was loaded; choose F16 for keys and values.`,
  "adapter-missing": (file) =>
    `The LoRA adapter ${file} is no longer where it was. Nothing was loaded; put it back, or take it out of the load options.`,
  "adapter-unusable": (file) =>
    `${file} cannot be used as a LoRA adapter. Nothing was loaded; take it out of the load options.`,
  "adapter-of-other-model": (file) =>
    `The LoRA adapter ${file} was made for another model. Nothing was loaded; take it out of the load options.`,
  "adapter-twice": (file) =>
    `The LoRA adapter ${file} is listed twice. Nothing was loaded; keep one of the two, with the strength you want.`,
};

/** `path`: of the model, or of the adapter it is about. */
export function optionsRefused(problem: OptionProblem, path: string, cause?: unknown): RepriseError {
  const file = basename(path);
  return new RepriseError("OPTIONS_REFUSED", sentences[problem](file), { problem, file }, { cause });
}
