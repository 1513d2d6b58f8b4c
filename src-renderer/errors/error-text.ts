/** Errors as sentences of the reader's language. Main sends a code with data, and the sentence in English. */
import {
  errorDataSchemas,
  type ErrorCode,
  type ErrorData,
  type ErrorView,
  type OptionProblem,
} from "../../src-main/contract/errors.ts";
import { formatCount } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";
import { getLocale } from "../paraglide/runtime.js";

type Texts = { readonly [Code in ErrorCode]: (data: ErrorData<Code>) => string };

const texts: Texts = {
  ALREADY_GENERATING: () => m.error_ALREADY_GENERATING(),
  ALREADY_RUNNING: ({ dataFolder }) => m.error_ALREADY_RUNNING({ dataFolder }),
  CONNECTION_LOST: () => m.error_CONNECTION_LOST(),
  CONTEXT_FULL: ({ promptTokens, contextTokens }) =>
    m.error_CONTEXT_FULL({ prompt: formatCount(promptTokens), context: formatCount(contextTokens) }),
  DATABASE_NEWER: ({ path, found, supported }) => m.error_DATABASE_NEWER({ path, found, supported }),
  ENGINE_CRASHED: ({ cause }) => m.error_ENGINE_CRASHED({ cause: part(cause) }),
  ENGINE_FAILED: ({ reason }) => m.error_ENGINE_FAILED({ reason: part(reason) }),
  ENGINE_STOPPED: () => m.error_ENGINE_STOPPED(),
  FILE_EXISTS: ({ path }) => m.error_FILE_EXISTS({ path }),
  FOLDER_UNWRITABLE: ({ path, reason }) => m.error_FOLDER_UNWRITABLE({ path, reason: part(reason) }),
  HUB_FAILED: (data) => hubFailed(data),
  IMATRIX_NEEDED: ({ level }) => m.error_IMATRIX_NEEDED({ level }),
  INVALID_INPUT: ({ reason }) => m.error_INVALID_INPUT({ reason: part(reason) }),
  MODEL_FETCH_FAILED: ({ attempts }) =>
    m.error_MODEL_FETCH_FAILED({ reasons: attempts.map(({ source, reason }) => `${source}: ${reason}`).join("; ") }),
  MODEL_INVALID: ({ path, reason }) => m.error_MODEL_INVALID({ file: fileName(path), reason: part(reason) }),
  MODEL_QUARANTINED: ({ path, cause }) => m.error_MODEL_QUARANTINED({ file: fileName(path), cause: part(cause) }),
  MODEL_MISSING: ({ path }) => (path === null ? m.error_MODEL_MISSING() : m.error_MODEL_MISSING_file({ path })),
  OPTIONS_REFUSED: ({ problem, file }) => optionsRefused[problem]({ file }),
  NOT_FOUND: ({ what }) => notFound(what),
  QUANTIZE_FAILED: ({ reason }) => m.error_QUANTIZE_FAILED({ reason: part(reason) }),
  REQUANTIZE_LOSSY: ({ path, level }) => m.error_REQUANTIZE_LOSSY({ file: fileName(path), level }),
  STORAGE_FAILED: ({ reason, detail }) => storageFailed(reason, detail),
  TEMPLATE_FAILED: ({ reason, line }) => {
    const detail = part(reason);
    const place = line ?? null;
    return m.error_TEMPLATE_FAILED({
      reason: place === null ? detail : m.template_failure_line({ line: place, reason: detail }),
    });
  },
  INTERNAL: ({ reason }) => m.error_INTERNAL({ reason: part(reason) }),
};

const optionsRefused: Readonly<Record<OptionProblem, (inputs: { file: string }) => string>> = {
  "values-need-flash-attention": m.error_OPTIONS_REFUSED_values_need_flash_attention,
  "no-flash-attention": m.error_OPTIONS_REFUSED_no_flash_attention,
  "cache-type-does-not-fit": m.error_OPTIONS_REFUSED_cache_type_does_not_fit,
  "cache-types-differ": m.error_OPTIONS_REFUSED_cache_types_differ,
  "adapter-missing": m.error_OPTIONS_REFUSED_adapter_missing,
  "adapter-unusable": m.error_OPTIONS_REFUSED_adapter_unusable,
  "adapter-of-other-model": m.error_OPTIONS_REFUSED_adapter_of_other_model,
  "adapter-twice": m.error_OPTIONS_REFUSED_adapter_twice,
};

/**
 * What to show. Main's own sentence tells more than its code, so a reader of English gets it as it came; other
 * languages get the text of the code with its data, and the sentence only where there is none.
 */
export function errorText(error: ErrorView): string {
  if (getLocale() === "en" && error.message !== "") return error.message;
  return isErrorCode(error.code) ? (textOf(error.code, error.data) ?? error.message) : error.message;
}

function textOf(code: ErrorCode, data: unknown): string | null {
  const parsed = errorDataSchemas[code].safeParse(data);
  // The schema is the one of this code, so its data is what the code's text takes.
  return parsed.success ? (texts[code] as (data: unknown) => string)(parsed.data) : null;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorDataSchemas, code);
}

function notFound(what: ErrorData<"NOT_FOUND">["what"]): string {
  switch (what) {
    case "conversation":
      return m.error_NOT_FOUND_conversation();
    case "message":
      return m.error_NOT_FOUND_message();
    case "model":
      return m.error_NOT_FOUND_model();
    case "generation":
      return m.error_NOT_FOUND_generation();
    case "download":
      return m.error_NOT_FOUND_download();
    case "quantization":
      return m.error_NOT_FOUND_quantization();
  }
}

function hubFailed({ reason, name, detail, retryAfterSeconds }: ErrorData<"HUB_FAILED">): string {
  switch (reason) {
    case "no-repository":
      return m.error_HUB_FAILED_no_repository({ name });
    case "gated":
      return m.error_HUB_FAILED_gated({ name });
    case "no-models":
      return m.error_HUB_FAILED_no_models({ name });
    case "rate-limited":
      return retryAfterSeconds === null
        ? m.error_HUB_FAILED_rate_limited()
        : m.error_HUB_FAILED_rate_limited_until({ seconds: formatCount(retryAfterSeconds) });
    case "unreachable":
      return m.error_HUB_FAILED_unreachable({ detail: part(detail) });
    case "not-understood":
      return m.error_HUB_FAILED_not_understood({ detail: part(detail) });
    case "broken-off":
      return m.error_HUB_FAILED_broken_off({ name, detail: part(detail) });
    case "damaged":
      return m.error_HUB_FAILED_damaged({ name });
  }
}

function storageFailed(reason: ErrorData<"STORAGE_FAILED">["reason"], detail: string): string {
  switch (reason) {
    case "disk-full":
      return m.error_STORAGE_FAILED_disk_full();
    case "read-only":
      return m.error_STORAGE_FAILED_read_only();
    case "corrupt":
      return m.error_STORAGE_FAILED_corrupt({ detail: part(detail) });
    case "other":
      return m.error_STORAGE_FAILED_other({ detail: part(detail) });
  }
}

/** A part of a sentence, without the full stop that some reasons bring along. */
function part(reason: string): string {
  return reason.trim().replace(/\.$/, "");
}

function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
