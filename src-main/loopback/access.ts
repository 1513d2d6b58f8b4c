/** Who may talk to the loopback server. Pure decisions; the server acts on them. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 random bits that go unescaped into a URL. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Compares digests, so that neither the content nor the length of the expected token shows in the time taken. */
export function isSameToken(expected: string, given: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(expected), digest(given));
}

/**
 * The page's own addresses and no other: a foreign name that resolves to 127.0.0.1 (DNS rebinding) still shows in
 * the Host header.
 */
export function isOwnHost(host: string | undefined, port: number): host is string {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

export interface Upgrade {
  readonly url: string | undefined;
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404;
  readonly reason: string;
}

/** Why a WebSocket upgrade is refused, or `null` where it is welcome. A browser always sends an Origin, the command line none. */
export function refuseUpgrade(upgrade: Upgrade, port: number, token: string): Refusal | null {
  if (!isOwnHost(upgrade.host, port)) return { status: 403, reason: "This address is not served here." };
  const base = `http://${upgrade.host}`;
  if (upgrade.origin !== undefined && upgrade.origin !== base) {
    return { status: 403, reason: "Only Reprise's own page may connect." };
  }
  const url = URL.parse(upgrade.url ?? "", base);
  if (url === null) return { status: 400, reason: "The address cannot be read." };
  if (url.pathname !== "/rpc") return { status: 404, reason: "There is nothing here." };
  if (!isSameToken(token, url.searchParams.get("token") ?? "")) {
    return { status: 401, reason: "The token is missing or wrong." };
  }
  return null;
}
