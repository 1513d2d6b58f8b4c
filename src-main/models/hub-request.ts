/**
 * One request to the hub. The hub keeps its files on other hosts and sends there: redirects are followed by hand, only
 * over https (a hub on this machine may use its own ways), and nothing is ever sent along that names a person.
 */
import { FetchAttemptError, networkReason } from "./fetch-attempt-error.ts";

const redirects = [301, 302, 303, 307, 308];
const maxRedirects = 8;
/** Too busy, or broken for now: statuses that a later try may not meet again. */
const passing = [408, 425, 429, 500, 502, 503, 504];

interface HubRequest {
  readonly url: string;
  /** Address of the hub; it has no redirect to itself that would not be followed. */
  readonly hubUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** The answer with a status of success. Throws FetchAttemptError, or the signal's reason. */
export async function requestFromHub({ url, hubUrl, headers, signal }: HubRequest): Promise<Response> {
  let target = new URL(url);
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const response = await send(target, { headers, signal, redirect: "manual" });
    if (!redirects.includes(response.status)) return successful(response);
    await response.body?.cancel();
    target = nextTarget(target, response.headers.get("location"), new URL(hubUrl));
  }
  throw new FetchAttemptError("it sends from one address to the next without an end");
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (caught) {
    if (init.signal?.aborted) throw init.signal.reason;
    throw new FetchAttemptError(networkReason(caught), { cause: caught, mayPass: true });
  }
}

function successful(response: Response): Response {
  const { status, statusText, headers } = response;
  if (response.ok) return response;
  void response.body?.cancel().catch(() => undefined);
  throw new FetchAttemptError(`it answered "${[status, statusText].join(" ").trim()}"`, {
    status,
    mayPass: passing.includes(status),
    needsConsent: headers.get("x-error-code") === "GatedRepo",
    retryAfterSeconds: secondsUntil(headers.get("retry-after")),
  });
}

function nextTarget(from: URL, location: string | null, hub: URL): URL {
  const target = location === null ? null : URL.parse(location, from.href);
  if (target === null) throw new FetchAttemptError("it sends to an address that is none");
  const isOwn = target.origin === hub.origin || (isLoopback(target) && isLoopback(hub));
  const isOpen = target.username !== "" || target.password !== "";
  if (isOpen || (target.protocol !== "https:" && !isOwn)) {
    throw new FetchAttemptError(`it sends to an address that is not safe (${target.origin})`);
  }
  return target;
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

/** Retry-After: seconds, or a date. */
function secondsUntil(text: string | null): number | null {
  if (text === null) return null;
  if (/^\d+$/.test(text.trim())) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1_000));
}
