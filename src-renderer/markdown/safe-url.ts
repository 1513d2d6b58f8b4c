const allowedProtocols: readonly string[] = ["http:", "https:", "mailto:"];

/** The whole address in normal form, or `null` where it is relative, unreadable or of a scheme that is not opened. */
export function safeUrl(address: string): string | null {
  const url = URL.parse(address);
  return url !== null && allowedProtocols.includes(url.protocol) ? url.href : null;
}
