/** Why one source did not give the file, in plain words: the start of a sentence or a whole one, without a full stop. */
export class FetchAttemptError extends Error {
  override readonly name = "FetchAttemptError";
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "its address could not be looked up",
  EAI_AGAIN: "its address could not be looked up",
  ECONNREFUSED: "it refused the connection",
  ECONNRESET: "the connection broke off",
  EPIPE: "the connection broke off",
  UND_ERR_SOCKET: "the connection broke off",
  ENETUNREACH: "the network cannot be reached",
  EHOSTUNREACH: "it cannot be reached",
  ETIMEDOUT: "it did not answer",
  UND_ERR_CONNECT_TIMEOUT: "it did not answer",
};

/** `fetch` says "fetch failed" and hides what happened one or two causes deeper. */
export function networkReason(caught: unknown): string {
  if (!(caught instanceof Error)) return String(caught);
  if (caught.cause instanceof Error) return networkReason(caught.cause);
  const code = "code" in caught ? String(caught.code) : "";
  return reasons[code] ?? (caught.message || code);
}
