/** What went wrong with the model hub, as a sentence a person would say. */
import { RepriseError, type ErrorData } from "../contract/errors.ts";
import { FetchAttemptError } from "./fetch-attempt-error.ts";

type Reason = ErrorData<"HUB_FAILED">["reason"];

export function hubFailed(
  reason: Reason,
  name: string,
  {
    detail = "",
    retryAfterSeconds = null,
    cause,
  }: { detail?: string; retryAfterSeconds?: number | null; cause?: unknown } = {},
): RepriseError<"HUB_FAILED"> {
  const sentence = sentences[reason](name, detail, retryAfterSeconds);
  return new RepriseError("HUB_FAILED", sentence, { reason, name, detail, retryAfterSeconds }, { cause });
}

/** Asking for what a repository has. Anything but a FetchAttemptError comes back as it is. */
export function toListingError(caught: unknown, name: string): unknown {
  if (!(caught instanceof FetchAttemptError)) return caught;
  const { status, message: detail, retryAfterSeconds } = caught;
  return (
    statusError(caught, name) ??
    hubFailed(status === null && caught.mayPass ? "unreachable" : "not-understood", name, {
      detail,
      retryAfterSeconds,
      cause: caught,
    })
  );
}

/** Fetching a file of it. */
export function toDownloadError(caught: unknown, name: string): unknown {
  if (!(caught instanceof FetchAttemptError)) return caught;
  const { message: detail, isDamaged } = caught;
  return statusError(caught, name) ?? hubFailed(isDamaged ? "damaged" : "broken-off", name, { detail, cause: caught });
}

function statusError(caught: FetchAttemptError, name: string): RepriseError | null {
  const { status, message: detail, retryAfterSeconds } = caught;
  // Whoever is not logged in gets a 401 for what does not exist, and a 403 (or this header) for what needs consent.
  if (caught.needsConsent || status === 403) return hubFailed("gated", name, { detail, cause: caught });
  if (status === 401 || status === 404) return hubFailed("no-repository", name, { detail, cause: caught });
  if (status === 429) return hubFailed("rate-limited", name, { detail, retryAfterSeconds, cause: caught });
  return null;
}

const sentences: Readonly<Record<Reason, (name: string, detail: string, retryAfterSeconds: number | null) => string>> =
  {
    "no-repository": (name) =>
      `The model hub has nothing under the name ${name}. Check how it is written (owner/name); a private repository cannot be fetched.`,
    gated: (name) =>
      `${name} is given only to people who have agreed to its terms with an account. ` +
      "Open its page on the hub in a browser, fetch the file there, and add it here.",
    "no-models": (name, detail) =>
      `${name} has no GGUF file that can be fetched${detail === "" ? "" : ` (${detail})`}. Name a repository with GGUF files.`,
    "rate-limited": (_name, _detail, seconds) =>
      `The model hub is asked too much from here just now. Try again in ${seconds === null ? "a few minutes" : waitText(seconds)}.`,
    unreachable: (_name, detail) =>
      `The model hub cannot be reached (${detail}). Everything that is here already goes on working; try again when this computer is online.`,
    "not-understood": (_name, detail) =>
      `The model hub gave an answer that Reprise does not understand (${detail}). Try again later, or fetch the file in a browser and add it here.`,
    "broken-off": (name, detail) =>
      `Fetching ${name} broke off: ${detail}. What has arrived is kept; resume to go on from there.`,
    damaged: (name, detail) =>
      `What came of ${name} was not the file the hub promised: ${detail}. It was deleted; fetch it again.`,
  };

function waitText(seconds: number): string {
  if (seconds <= 90) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
