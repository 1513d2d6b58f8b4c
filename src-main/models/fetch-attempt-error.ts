interface Circumstances extends ErrorOptions {
  /** Whether the same request may do better in a while. */
  readonly mayPass?: boolean;
  /** All bytes came, and they are not those of the file. */
  readonly isDamaged?: boolean;
  /** What the server answered with. */
  readonly status?: number;
  /** It gives the file only to people who have agreed to its terms. */
  readonly needsConsent?: boolean;
  /** How long the server asks to be left alone. */
  readonly retryAfterSeconds?: number | null;
}

/** Why one source did not give the file, in plain words: the start of a sentence or a whole one, without a full stop. */
export class FetchAttemptError extends Error {
  override readonly name = "FetchAttemptError";
  readonly mayPass: boolean;
  readonly isDamaged: boolean;
  readonly status: number | null;
  readonly needsConsent: boolean;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, circumstances: Circumstances = {}) {
    super(message, circumstances);
    this.mayPass = circumstances.mayPass ?? false;
    this.isDamaged = circumstances.isDamaged ?? false;
    this.status = circumstances.status ?? null;
    this.needsConsent = circumstances.needsConsent ?? false;
    this.retryAfterSeconds = circumstances.retryAfterSeconds ?? null;
  }
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
