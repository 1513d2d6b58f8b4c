/**
 * The errors Reprise can tell a person about. Each has a code that scripts and translations rely on, a sentence
 * (what happened, what was kept, what to do), and data. Anything else that crosses a process is a defect.
 */
import { ORPCError } from "@orpc/client";
import { z } from "zod";

const reason = z.object({ reason: z.string() });

const optionProblemSchema = z.enum([
  "values-need-flash-attention",
  "no-flash-attention",
  "cache-type-does-not-fit",
  "cache-types-differ",
  "adapter-missing",
  "adapter-unusable",
  "adapter-of-other-model",
  "adapter-twice",
]);
export type OptionProblem = z.infer<typeof optionProblemSchema>;

/** Data schema of every error code; the single list that contracts, translations and exit codes derive from. */
export const errorDataSchemas = {
  ALREADY_GENERATING: z.object({ conversationId: z.string() }),
  ALREADY_RUNNING: z.object({ dataFolder: z.string(), pid: z.number().nullable() }),
  CONNECTION_LOST: z.object({}),
  CONTEXT_FULL: z.object({
    promptTokens: z.number(),
    contextTokens: z.number(),
    /** How many of the oldest messages would have to be left out; 0: the last one is too long by itself. */
    droppableMessages: z.int().optional(),
  }),
  DATABASE_NEWER: z.object({ path: z.string(), found: z.number(), supported: z.number() }),
  ENGINE_CRASHED: z.object({ cause: z.string() }),
  ENGINE_FAILED: reason,
  ENGINE_STOPPED: z.object({}),
  FILE_EXISTS: z.object({ path: z.string() }),
  FOLDER_UNWRITABLE: z.object({ path: z.string(), reason: z.string() }),
  HUB_FAILED: z.object({
    reason: z.enum([
      "no-repository",
      "gated",
      "no-models",
      "rate-limited",
      "unreachable",
      "not-understood",
      "broken-off",
      "damaged",
    ]),
    /** The repository. */
    name: z.string(),
    /** What happened, in words; may be empty. */
    detail: z.string(),
    /** How long the hub asks to be left alone; `null` where it does not say. */
    retryAfterSeconds: z.number().nullable(),
  }),
  IMATRIX_NEEDED: z.object({ level: z.string() }),
  INVALID_INPUT: reason,
  MODEL_FETCH_FAILED: z.object({ attempts: z.array(z.object({ source: z.string(), reason: z.string() })) }),
  MODEL_INVALID: z.object({ path: z.string(), reason: z.string() }),
  /** The engine ended over this file; it is not loaded again before the user retries it. */
  MODEL_QUARANTINED: z.object({ path: z.string(), cause: z.string() }),
  MODEL_MISSING: z.object({ path: z.string().nullable() }),
  /** What a model cannot be loaded with. `file`: of the model or the adapter, without its folder. */
  OPTIONS_REFUSED: z.object({ problem: optionProblemSchema, file: z.string() }),
  NOT_FOUND: z.object({
    what: z.enum(["conversation", "message", "model", "generation", "download", "quantization"]),
    id: z.string(),
  }),
  QUANTIZE_FAILED: reason,
  /** Weights that lost precision already would lose more, which is only done when it is asked for. */
  REQUANTIZE_LOSSY: z.object({ path: z.string(), level: z.string() }),
  STORAGE_FAILED: z.object({ reason: z.enum(["disk-full", "read-only", "corrupt", "other"]), detail: z.string() }),
  /** `line`: of the template's source, where that is known. */
  TEMPLATE_FAILED: reason.extend({ line: z.int().nullable().optional() }),
  INTERNAL: reason,
} as const;

export type ErrorCode = keyof typeof errorDataSchemas;
export type ErrorData<Code extends ErrorCode> = z.infer<(typeof errorDataSchemas)[Code]>;

/** The error map given to every procedure of both contracts. */
export const contractErrors = Object.fromEntries(
  Object.entries(errorDataSchemas).map(([code, data]) => [code, { data }]),
) as { [Code in ErrorCode]: { data: (typeof errorDataSchemas)[Code] } };

/** An error with a code, a sentence a person would say, and data of the code's schema. */
export class RepriseError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "RepriseError";
  readonly code: Code;
  readonly data: ErrorData<Code>;

  constructor(code: Code, message: string, data: ErrorData<Code>, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = data;
  }
}

/** How an error looks where it is kept or shown: in a message that failed, in a status. */
export const errorViewSchema = z.object({ code: z.string(), message: z.string(), data: z.unknown() });
export type ErrorView = z.infer<typeof errorViewSchema>;

export function errorView(error: RepriseError): ErrorView {
  return { code: error.code, message: error.message, data: error.data };
}

/** The error that a view was made of, also after it was stored or crossed a process. */
export function errorFromView({ code, message, data }: ErrorView): RepriseError {
  return toRepriseError(new ORPCError(code, { message, data }));
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorDataSchemas, code);
}

/** Told by hand, because `instanceof` narrows a generic class to `any`. */
const isRepriseError = (caught: unknown): caught is RepriseError => caught instanceof RepriseError;
const isContractError = (caught: unknown): caught is ORPCError<string, unknown> => caught instanceof ORPCError;

/** What was caught, as a RepriseError: itself, one that crossed a process, or INTERNAL with the original as cause. */
export function toRepriseError(caught: unknown): RepriseError {
  if (isRepriseError(caught)) return caught;
  if (isContractError(caught)) {
    const { code, message, data } = caught;
    const parsed = isErrorCode(code) ? errorDataSchemas[code].safeParse(data) : null;
    if (isErrorCode(code) && parsed?.success) return new RepriseError(code, message, parsed.data, { cause: caught });
    if (code === "BAD_REQUEST")
      return new RepriseError("INVALID_INPUT", message, { reason: message }, { cause: caught });
  }
  const detail = caught instanceof Error ? caught.message : String(caught);
  return new RepriseError(
    "INTERNAL",
    `Something went wrong inside Reprise: ${detail}`,
    { reason: detail },
    { cause: caught },
  );
}

/** The form in which a RepriseError crosses a process boundary. */
export function toContractError(caught: unknown): ORPCError<string, unknown> {
  if (isContractError(caught)) return caught;
  const error = toRepriseError(caught);
  return new ORPCError(error.code, { message: error.message, data: error.data, cause: error });
}
